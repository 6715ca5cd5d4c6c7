import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mapWithConcurrency, type Release, Semaphore } from '../../../src/shared/util/semaphore.js';
import { settleEventLoop } from '../../helpers/wait-until.js';

const { signal } = new AbortController();
const settle = () => settleEventLoop(async () => {});

/** Acquires permits under numbers that are their priorities, and lists which were granted, in order. */
function acquirer(semaphore: Semaphore) {
  const granted: number[] = [];
  const releases = new Map<number, Release>();
  return {
    granted,
    acquire(priority: number, own = signal) {
      const acquired = semaphore.acquire(priority, own).then((release) => {
        granted.push(priority);
        releases.set(priority, release);
      });
      acquired.catch(() => {});
      return acquired;
    },
    release: (priority: number) => releases.get(priority)?.(),
  };
}

test('a semaphore grants as many permits as it has, and one more at each release', async () => {
  const { granted, acquire, release } = acquirer(new Semaphore(2));
  for (const priority of [1, 2, 3, 4]) void acquire(priority);
  await settle();
  assert.equal(granted, [1, 2]);
  release(2);
  await settle();
  assert.equal(granted, [1, 2, 3]);
});

test('waiting tasks are served by priority, not by time of arrival', async () => {
  const { granted, acquire, release } = acquirer(new Semaphore(1));
  for (const priority of [1, 9, 4, 7]) void acquire(priority);
  await settle();
  for (const priority of [1, 4, 7]) {
    release(priority);
    await settle();
  }
  assert.equal(granted, [1, 4, 7, 9]);
});

test('a permit that is released twice is free once', async () => {
  const semaphore = new Semaphore(1);
  const { granted, acquire } = acquirer(semaphore);
  const release = await semaphore.acquire(1, signal);
  for (const priority of [2, 3]) void acquire(priority);
  release();
  release();
  await settle();
  assert.equal(granted, [2]);
  assert.is(semaphore.waitingCount, 1);
});

test('an aborted wait rejects at once with the reason of its signal, and takes no permit', async () => {
  const semaphore = new Semaphore(1);
  const { granted, acquire, release } = acquirer(semaphore);
  const stopping = new AbortController();
  await acquire(1);
  const stopped = acquire(2, stopping.signal);
  void acquire(3);
  stopping.abort('cancelled');
  await stopped.then(
    () => assert.unreachable(),
    (reason) => assert.is(reason, 'cancelled'),
  );
  release(1);
  await settle();
  assert.equal(granted, [1, 3]);
  assert.is(semaphore.waitingCount, 0);
});

test('a signal that is already aborted gets no permit, even if one is free', async () => {
  const semaphore = new Semaphore(1);
  await semaphore.acquire(1, AbortSignal.abort('draining')).then(
    () => assert.unreachable(),
    (reason) => assert.is(reason, 'draining'),
  );
  await semaphore.acquire(2, signal);
});

test('a signal that is aborted after its permit was granted keeps the permit', async () => {
  const { granted, acquire, release } = acquirer(new Semaphore(1));
  const stopping = new AbortController();
  await acquire(1);
  void acquire(2, stopping.signal);
  void acquire(3);
  release(1);
  await settle();
  stopping.abort('cancelled');
  await settle();
  assert.equal(granted, [1, 2]);
  release(2);
  await settle();
  assert.equal(granted, [1, 2, 3]);
});

test('a task with a limit waits until few enough run, and later ones wait meanwhile', async () => {
  const semaphore = new Semaphore(3);
  const first = await semaphore.acquire();
  const granted: string[] = [];
  const limited = semaphore.acquire(0, undefined, 1).then((release) => {
    granted.push('limited');
    return release;
  });
  const later = semaphore.acquire().then((release) => {
    granted.push('later');
    return release;
  });
  await settle();
  assert.equal(granted, []);
  first();
  await settle();
  assert.equal(granted, ['limited']);
  (await limited)();
  await settle();
  assert.equal(granted, ['limited', 'later']);
  (await later)();
});

test('more permits let waiting tasks run, and fewer do not end those that run', async () => {
  const semaphore = new Semaphore(1);
  const releases = [await semaphore.acquire()];
  let granted = 0;
  for (let count = 0; count < 3; count += 1)
    void semaphore.acquire().then((release) => {
      granted += 1;
      releases.push(release);
    });
  semaphore.resize(3);
  await settle();
  assert.is(granted, 2);
  semaphore.resize(1);
  releases[0]?.();
  releases[1]?.();
  await settle();
  assert.is(granted, 2);
  releases[2]?.();
  await settle();
  assert.is(granted, 3);
});

test('runExclusive releases its permit when the task fails', async () => {
  const semaphore = new Semaphore(1);
  await semaphore
    .runExclusive(() => Promise.reject(new Error('failed')))
    .then(
      () => assert.unreachable(),
      (error) => assert.is(error.message, 'failed'),
    );
  assert.is(await semaphore.runExclusive(async () => 'next'), 'next');
});

test('mapWithConcurrency keeps the order of the items and never exceeds its limit', async () => {
  let running = 0;
  let most = 0;
  const doubled = await mapWithConcurrency([5, 1, 4, 2, 3], 2, async (number) => {
    running += 1;
    most = Math.max(most, running);
    for (let turn = 0; turn < number; turn += 1) await Promise.resolve();
    running -= 1;
    return number * 2;
  });
  assert.equal(doubled, [10, 2, 8, 4, 6]);
  assert.is(most, 2);
});

test.run();
