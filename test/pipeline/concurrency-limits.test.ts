import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Run } from '../../daemon/jobs/run.js';
import {
  createConcurrencyLimits,
  createRunLimiter,
  runCountFor,
} from '../../daemon/pipeline/concurrency-limits.js';
import { RunPause } from '../../daemon/queue/run-pause.js';
import { Freezer } from '../../src/shared/util/freezer.js';
import type { Semaphore } from '../../src/shared/util/semaphore.js';
import { settleEventLoop } from '../helpers/wait-until.js';

for (const [encodes, runs] of [
  [0, 0],
  [1, 5],
  [2, 6],
  [4, 12],
] as const) {
  test(`with ${encodes} concurrent encodes, at most ${runs} runs are started`, () => {
    assert.is(runCountFor(encodes), runs);
  });
}

/** How many of three tasks get a permit at once. */
async function grantedAtOnce(semaphore: Semaphore): Promise<number> {
  let granted = 0;
  for (const priority of [1, 2, 3]) {
    void semaphore.acquire(priority).then(() => {
      granted += 1;
    });
  }
  await settleEventLoop(async () => {});
  return granted;
}

test('transfers have at least two permits, so that one slow server does not block the others', async () => {
  const { downloads, uploads, encodes } = createConcurrencyLimits(1);
  assert.is(await grantedAtOnce(downloads), 2);
  assert.is(await grantedAtOnce(uploads), 2);
  assert.is(await grantedAtOnce(encodes), 1);
});

test('while its account is paused, a run does not begin to encode, and one that has encoded goes on', async () => {
  const state = { isPaused: true, resume: () => {} };
  const limits = createConcurrencyLimits(1, {
    holds: () => state.isPaused,
    whenResumed: () =>
      state.isPaused
        ? new Promise<void>((resolve) => Object.assign(state, { resume: resolve }))
        : Promise.resolve(),
  });
  const run = {
    job: { accountId: 'studio' },
    whileWaiting: <T>(promise: Promise<T>) => promise,
  } as unknown as Run;
  const limiter = createRunLimiter(limits, run, 1);
  const { signal } = new AbortController();
  const done: string[] = [];
  const work = (kind: 'downloads' | 'encodes', name: string) =>
    limiter.runExclusive(kind, signal, async () => void done.push(name));
  await work('downloads', 'download');
  const first = work('encodes', 'first');
  await settleEventLoop(async () => {});
  assert.equal(done, ['download']);
  state.isPaused = false;
  state.resume();
  await first;
  state.isPaused = true;
  await work('encodes', 'second');
  assert.equal(done, ['download', 'first', 'second']);
});

test('a paused run gives its encode to another run, and goes on once one is free', async () => {
  const limits = createConcurrencyLimits(1);
  const freezer = new Freezer();
  const pause = new RunPause(freezer);
  const whileWaiting = <T>(promise: Promise<T>) => promise;
  const { signal } = new AbortController();
  const encode = (run: object, number: number) => {
    let end = () => {};
    const begun = { is: false };
    const done = createRunLimiter(limits, { job: {}, whileWaiting, ...run } as Run, number).runExclusive(
      ...(['encodes', signal] as const),
      () => {
        begun.is = true;
        return new Promise<void>((resolve) => {
          end = resolve;
        });
      },
    );
    return { begun, done, end: () => end() };
  };
  const settle = () => settleEventLoop(async () => {});
  const first = encode({ pause }, 1);
  const second = encode({}, 2);
  await settle();
  assert.equal([first.begun.is, second.begun.is], [true, false]);
  pause.set(true);
  await settle();
  assert.ok(second.begun.is, 'it has the encode of the paused run');
  pause.set(false);
  await settle();
  assert.ok(freezer.isFrozen, 'no encode is free');
  pause.set(true);
  pause.set(false);
  const third = encode({}, 3);
  second.end();
  await second.done;
  await settle();
  assert.equal([freezer.isFrozen, third.begun.is], [false, false], 'the run that began first goes on');
  pause.set(true);
  await settle();
  assert.ok(third.begun.is);
  first.end();
  await first.done;
  third.end();
  await third.done;
  assert.is(await grantedAtOnce(limits.encodes), 1, 'no encode is lost or counted twice');
});

test.run();
