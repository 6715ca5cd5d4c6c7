import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ProgressTracker } from '../../daemon/queue/progress-tracker.js';

interface Context {
  progressTracker: ProgressTracker;
}

const test = suite<Context>('ProgressTracker');
const downloading = (percent: number, overallPercent: number) =>
  ({ event: 'downloading', percent, overallPercent }) as const;

test.before.each((context) => {
  context.progressTracker = new ProgressTracker();
  context.progressTracker.start(1);
});

test('an update of a file replaces the previous one', ({ progressTracker }) => {
  progressTracker.update(1, 2, { ...downloading(10, 9), fps: 25 });
  progressTracker.update(1, 2, { event: 'inspecting', percent: 0, overallPercent: 95 });
  assert.equal(progressTracker.read(1).get(2), { event: 'inspecting', percent: 0, overallPercent: 95 });
});

test('the overall percent of a file never falls within a run; the percent of its event may', ({
  progressTracker,
}) => {
  progressTracker.update(1, 2, downloading(80, 76));
  progressTracker.update(1, 2, downloading(20, 19));
  assert.equal(progressTracker.read(1).get(2), downloading(20, 76));
});

test('percentages stay within 0 and 100 and have at most two decimals', ({ progressTracker }) => {
  const cases = [
    [33.333333, 33.33],
    [99.999, 100],
    [-1, 0],
    [101, 100],
    [Number.NaN, 0],
    [Number.POSITIVE_INFINITY, 0],
  ] as const;
  for (const [reported, known] of cases) {
    progressTracker.start(1);
    progressTracker.update(1, 2, downloading(reported, reported));
    assert.equal(progressTracker.read(1).get(2), downloading(known, known));
  }
});

test('files and jobs are separate', ({ progressTracker }) => {
  progressTracker.start(10);
  progressTracker.update(1, 2, downloading(1, 1));
  progressTracker.update(1, 3, downloading(2, 2));
  progressTracker.update(10, 2, downloading(3, 3));
  assert.equal(
    [...progressTracker.read(1)],
    [
      [2, downloading(1, 1)],
      [3, downloading(2, 2)],
    ],
  );
  assert.equal([...progressTracker.read(10)], [[2, downloading(3, 3)]]);
});

test('another run of a job begins without progress', ({ progressTracker }) => {
  progressTracker.update(1, 2, downloading(80, 76));
  progressTracker.start(1);
  assert.is(progressTracker.read(1).size, 0);
  progressTracker.update(1, 2, downloading(20, 19));
  assert.equal(progressTracker.read(1).get(2), downloading(20, 19));
});

test('nothing is stored for a job that is not running', ({ progressTracker }) => {
  progressTracker.update(7, 8, downloading(1, 1));
  assert.is(progressTracker.read(7).size, 0);
  progressTracker.update(1, 2, downloading(1, 1));
  progressTracker.clear(1);
  assert.is(progressTracker.read(1).size, 0);
});

test('a returned snapshot does not change later', ({ progressTracker }) => {
  progressTracker.update(1, 2, downloading(1, 1));
  const read = progressTracker.read(1);
  progressTracker.update(1, 2, downloading(50, 50));
  assert.equal(read.get(2), downloading(1, 1));
});

test('a mirrored run is read and reported like an own one, which takes precedence', ({ progressTracker }) => {
  const notified: number[] = [];
  progressTracker.watch((jobId) => notified.push(jobId));
  progressTracker.mirror(7, new Map([[8, downloading(5, 4)]]));
  assert.equal([...progressTracker.read(7)], [[8, downloading(5, 4)]]);
  progressTracker.update(7, 8, downloading(6, 5));
  progressTracker.mirror(7, new Map([[8, downloading(7, 6)]]));
  assert.equal([...progressTracker.read(7)], [[8, downloading(7, 6)]]);
  assert.equal([...progressTracker.own.keys()], [1]);
  assert.equal(notified, [7, 7]);

  progressTracker.start(7);
  assert.is(progressTracker.read(7).size, 0);
  progressTracker.mirror(7, new Map([[8, downloading(90, 90)]]));
  assert.is(progressTracker.read(7).size, 0);
  progressTracker.clear(7);
  assert.equal([...progressTracker.read(7)], [[8, downloading(90, 90)]]);
  progressTracker.mirror(7, null);
  progressTracker.mirror(7, null);
  assert.is(progressTracker.read(7).size, 0);
  assert.equal(notified, [7, 7, 7, 7, 7]);
});

test('listeners are called after each change, until they unsubscribe', ({ progressTracker }) => {
  const notifiedJobs: (readonly [number, number])[] = [];
  const stop = progressTracker.watch((jobId) => notifiedJobs.push([jobId, progressTracker.read(jobId).size]));
  progressTracker.start(7);
  progressTracker.update(7, 8, downloading(1, 1));
  progressTracker.update(9, 10, downloading(1, 1));
  progressTracker.clear(7);
  progressTracker.clear(7);
  stop();
  progressTracker.update(1, 2, downloading(1, 1));
  assert.equal(notifiedJobs, [
    [7, 0],
    [7, 1],
    [7, 0],
  ]);
});

test.run();
