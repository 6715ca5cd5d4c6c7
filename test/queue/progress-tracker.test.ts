import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ProgressBook } from '../../daemon/queue/progress-tracker.js';

interface Context {
  book: ProgressBook;
}

const test = suite<Context>('the progress book');
const downloading = (percent: number, overallPercent: number) =>
  ({ event: 'downloading', percent, overallPercent }) as const;

test.before.each((context) => {
  context.book = new ProgressBook();
  context.book.open(1);
});

test('what is told of a file replaces what was told before', ({ book }) => {
  book.note(1, 2, { ...downloading(10, 9), fps: 25 });
  book.note(1, 2, { event: 'inspecting', percent: 0, overallPercent: 95 });
  assert.equal(book.read(1).get(2), { event: 'inspecting', percent: 0, overallPercent: 95 });
});

test('the overall percent of a file never falls within a run, its percent may', ({ book }) => {
  book.note(1, 2, downloading(80, 76));
  book.note(1, 2, downloading(20, 19));
  assert.equal(book.read(1).get(2), downloading(20, 76));
});

test('percentages stay within 0 and 100 and have at most two decimals', ({ book }) => {
  const cases = [
    [33.333333, 33.33],
    [99.999, 100],
    [-1, 0],
    [101, 100],
    [Number.NaN, 0],
    [Number.POSITIVE_INFINITY, 0],
  ] as const;
  for (const [told, known] of cases) {
    book.open(1);
    book.note(1, 2, downloading(told, told));
    assert.equal(book.read(1).get(2), downloading(known, known));
  }
});

test('files and jobs are kept apart', ({ book }) => {
  book.open(10);
  book.note(1, 2, downloading(1, 1));
  book.note(1, 3, downloading(2, 2));
  book.note(10, 2, downloading(3, 3));
  assert.equal(
    [...book.read(1)],
    [
      [2, downloading(1, 1)],
      [3, downloading(2, 2)],
    ],
  );
  assert.equal([...book.read(10)], [[2, downloading(3, 3)]]);
});

test('another run of a job begins at nothing', ({ book }) => {
  book.note(1, 2, downloading(80, 76));
  book.open(1);
  assert.is(book.read(1).size, 0);
  book.note(1, 2, downloading(20, 19));
  assert.equal(book.read(1).get(2), downloading(20, 19));
});

test('nothing is kept of a job that is not run', ({ book }) => {
  book.note(7, 8, downloading(1, 1));
  assert.is(book.read(7).size, 0);
  book.note(1, 2, downloading(1, 1));
  book.close(1);
  assert.is(book.read(1).size, 0);
});

test('what was read does not change afterwards', ({ book }) => {
  book.note(1, 2, downloading(1, 1));
  const read = book.read(1);
  book.note(1, 2, downloading(50, 50));
  assert.equal(read.get(2), downloading(1, 1));
});

test('who watches is called after each change, until they stop watching', ({ book }) => {
  const heard: (readonly [number, number])[] = [];
  const stop = book.watch((jobId) => heard.push([jobId, book.read(jobId).size]));
  book.open(7);
  book.note(7, 8, downloading(1, 1));
  book.note(9, 10, downloading(1, 1));
  book.close(7);
  book.close(7);
  stop();
  book.note(1, 2, downloading(1, 1));
  assert.equal(heard, [
    [7, 0],
    [7, 1],
    [7, 0],
  ]);
});

test.run();
