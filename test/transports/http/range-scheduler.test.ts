import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createThroughputEstimator,
  RangeScheduler,
} from '../../../daemon/transports/http/range-scheduler.js';

const splitOptions = { rangeBytes: 100, minRangeBytes: 10 };
const rangeOf = (range: { readonly position: number; readonly end: number } | null) =>
  range === null ? null : [range.position, range.end];

test('a file that is not split is one range, and resumes at its last byte', () => {
  const all = new RangeScheduler(1000, splitOptions);
  const first = all.next();
  assert.equal(rangeOf(first), [0, 1000]);
  if (first === null) return;
  assert.is(all.advance(first, 300), 300);
  all.release(first);
  assert.not(all.isComplete);
  assert.is(all.remainingBytes, 700);
  assert.equal(rangeOf(all.next()), [300, 1000]);
});

test('a split file is assigned from its beginning, and is complete when all ranges are', () => {
  const all = new RangeScheduler(250, splitOptions);
  const first = all.next();
  all.split();
  const others = [all.next(), all.next()];
  assert.equal([first, ...others].map(rangeOf), [
    [0, 100],
    [100, 200],
    [200, 250],
  ]);
  for (const each of [first, ...others]) {
    if (each === null) continue;
    assert.not(all.isComplete);
    all.advance(each, 100);
    all.release(each);
  }
  assert.ok(all.isComplete);
});

test('a connection never requests more than its range', () => {
  const all = new RangeScheduler(250, splitOptions);
  const first = all.next();
  all.split();
  if (first === null) return assert.unreachable();
  assert.is(all.advance(first, 150), 100);
  assert.is(all.advance(first, 1), 0);
});

test('when no range is left to assign, the rest of another is split', () => {
  const all = new RangeScheduler(100, splitOptions);
  const first = all.next();
  all.split();
  if (first === null) return assert.unreachable();
  all.advance(first, 20);
  assert.equal(rangeOf(all.next()), [60, 100]);
  assert.equal(rangeOf(first), [20, 60]);
});

test('a range that was only just requested is not split', () => {
  const all = new RangeScheduler(100, splitOptions);
  const first = all.next();
  all.split();
  assert.is(all.next(1_000_000), null);
  assert.equal(rangeOf(first), [0, 100]);
  assert.not(first?.stolen.aborted);
});

test('a range without a byte is taken after a second, but not from a connection that took it itself', () => {
  let now = 0;
  const all = new RangeScheduler(100, splitOptions, () => now);
  const first = all.next();
  all.split();
  now = 1_500;
  const second = all.next(1_000_000);
  assert.ok(first?.stolen.aborted);
  assert.equal(rangeOf(second), [0, 100]);
  now = 20_000;
  assert.is(all.next(1_000_000), null);
  assert.not(second?.stolen.aborted);
});

test('a range that is too small is not split', () => {
  const all = new RangeScheduler(15, splitOptions);
  const first = all.next();
  all.split();
  assert.is(all.next(), null);
  assert.equal(rangeOf(first), [0, 15]);
});

test('a last range that is too small for its own connection is merged into the previous one', () => {
  const all = new RangeScheduler(205, splitOptions);
  const first = all.next();
  all.split();
  assert.equal([first, all.next()].map(rangeOf), [
    [0, 100],
    [100, 205],
  ]);
});

test('a split range can be merged while no other connection has received any of it', () => {
  const all = new RangeScheduler(1000, splitOptions);
  const first = all.next();
  all.split();
  const second = all.next();
  assert.not(all.merge());
  if (second === null) return assert.unreachable();
  all.release(second);
  assert.ok(all.merge());
  assert.equal(rangeOf(first), [0, 1000]);
});

test('a file of unknown length ends with its body, and an empty file is complete at once', () => {
  const all = new RangeScheduler(null, splitOptions);
  const first = all.next();
  if (first === null) return assert.unreachable();
  assert.is(all.advance(first, 7), 7);
  assert.not(all.isComplete);
  all.truncate(first);
  all.release(first);
  assert.ok(all.isComplete);
  assert.ok(new RangeScheduler(0, splitOptions).isComplete);
});

test('a connection has no rate before its first byte, unless that takes longer than a second', () => {
  let now = 0;
  const estimator = createThroughputEstimator(() => now);
  now = 900;
  assert.is(estimator.bytesPerSecond(), null);
  now = 1_000;
  assert.is(estimator.bytesPerSecond(), 0);
  estimator.record(500);
  now = 1_100;
  assert.is(Math.round(estimator.bytesPerSecond() ?? 0), 455);
});

test.run();
