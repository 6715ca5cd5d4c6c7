import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createConcurrencyLimits, runCountFor } from '../../daemon/pipeline/concurrency-limits.js';
import { type Release, Semaphore } from '../../src/shared/util/semaphore.js';
import { settleEventLoop } from '../helpers/wait-until.js';

const { signal } = new AbortController();
const settle = () => settleEventLoop(async () => {});

/** Enters a lane and keeps a list of who got in. */
function visitors(lane: Semaphore) {
  const inside: number[] = [];
  const leaves = new Map<number, Release>();
  return {
    inside,
    enter(turn: number, own = signal) {
      const entered = lane.acquire(turn, own).then((leave) => {
        inside.push(turn);
        leaves.set(turn, leave);
      });
      entered.catch(() => {});
      return entered;
    },
    leave: (turn: number) => leaves.get(turn)?.(),
  };
}

test('a lane lets in as many as it has places, and the next when one leaves', async () => {
  const { inside, enter, leave } = visitors(new Semaphore(2));
  for (const turn of [1, 2, 3, 4]) void enter(turn);
  await settle();
  assert.equal(inside, [1, 2]);
  leave(2);
  await settle();
  assert.equal(inside, [1, 2, 3]);
});

test('those that wait go by their turns, not by when they came', async () => {
  const { inside, enter, leave } = visitors(new Semaphore(1));
  for (const turn of [1, 9, 4, 7]) void enter(turn);
  await settle();
  for (const turn of [1, 4, 7]) {
    leave(turn);
    await settle();
  }
  assert.equal(inside, [1, 4, 7, 9]);
});

test('a place that is left twice is free once', async () => {
  const lane = new Semaphore(1);
  const { inside, enter } = visitors(lane);
  const leave = await lane.acquire(1, signal);
  for (const turn of [2, 3]) void enter(turn);
  leave();
  leave();
  await settle();
  assert.equal(inside, [2]);
  assert.is(lane.waitingCount, 1);
});

test('a wait ends at once with the reason of its signal, and costs nobody a place', async () => {
  const lane = new Semaphore(1);
  const { inside, enter, leave } = visitors(lane);
  const stopping = new AbortController();
  await enter(1);
  const stopped = enter(2, stopping.signal);
  void enter(3);
  stopping.abort('cancelled');
  await stopped.then(
    () => assert.unreachable(),
    (reason) => assert.is(reason, 'cancelled'),
  );
  leave(1);
  await settle();
  assert.equal(inside, [1, 3]);
  assert.is(lane.waitingCount, 0);
});

test('a signal that was aborted before gets no place, though there is one', async () => {
  const lane = new Semaphore(1);
  await lane.acquire(1, AbortSignal.abort('draining')).then(
    () => assert.unreachable(),
    (reason) => assert.is(reason, 'draining'),
  );
  await lane.acquire(2, signal);
});

test('a signal that is aborted after its wait keeps its place', async () => {
  const lane = new Semaphore(1);
  const { inside, enter, leave } = visitors(lane);
  const stopping = new AbortController();
  await enter(1);
  void enter(2, stopping.signal);
  void enter(3);
  leave(1);
  await settle();
  stopping.abort('cancelled');
  await settle();
  assert.equal(inside, [1, 2]);
  leave(2);
  await settle();
  assert.equal(inside, [1, 2, 3]);
});

for (const [encodes, runs] of [
  [0, 0],
  [1, 5],
  [2, 6],
  [4, 12],
] as const) {
  test(`where ${encodes} encode at once, ${runs} runs are begun at most`, () => {
    assert.is(runCountFor(encodes), runs);
  });
}

test('transfers have two places at least, so that one slow server stops nobody', async () => {
  const { downloads, uploads, encodes } = createConcurrencyLimits(1);
  for (const lane of [downloads, uploads]) {
    const { inside, enter } = visitors(lane);
    for (const turn of [1, 2, 3]) void enter(turn);
    await settle();
    assert.equal(inside, [1, 2]);
  }
  const { inside, enter } = visitors(encodes);
  for (const turn of [1, 2]) void enter(turn);
  await settle();
  assert.equal(inside, [1]);
});

test.run();
