import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BatchProgress } from '../../../src/cli/batch/batch-progress.js';

/** A batch with a clock that the test sets, in seconds. */
function batchOf(count: number) {
  let nowMs = 0;
  const batch = new BatchProgress(count, () => nowMs);
  return {
    batch,
    pass: (seconds: number) => {
      nowMs += seconds * 1000;
    },
  };
}

test('the percentage is that of the seconds of film, and the time left follows from the speed', () => {
  const { batch, pass } = batchOf(2);
  batch.setLength(0, 100);
  batch.setLength(1, 300);
  batch.update(0, 0, true);
  pass(10);
  batch.update(0, 50, true);
  assert.equal(batch.view(), { count: 2, done: 0, failed: 0, percent: 12.5, speed: 5, secondsLeft: 70 });
  pass(10);
  batch.end(0, 'finished');
  assert.equal(batch.view(), { count: 2, done: 1, failed: 0, percent: 25, speed: 5, secondsLeft: 60 });
});

test('a file of unknown length counts as the mean, and the percentage never falls', () => {
  const { batch, pass } = batchOf(3);
  batch.setLength(0, 10);
  batch.update(0, 100, true);
  pass(5);
  assert.is(batch.view().percent, 33.33);
  batch.setLength(1, 10_000);
  assert.is(batch.view().percent, 33.33);
  batch.end(0, 'finished');
  batch.update(1, 60, true);
  assert.ok(batch.view().percent >= 33.33);
  batch.update(1, 10, true);
  const before = batch.view().percent;
  batch.setLength(2, 1_000_000);
  assert.is(batch.view().percent, before);
});

test('a failed file leaves nothing to do, and a batch without lengths reaches 100 at its end only', () => {
  const { batch, pass } = batchOf(3);
  batch.end(0, 'failed');
  assert.equal([batch.view().percent, batch.view().failed], [0, 1]);
  batch.update(1, 100, true);
  pass(10);
  assert.is(batch.view().percent, 50);
  batch.end(1, 'finished');
  batch.update(2, 100, true);
  assert.is(batch.view().percent, 99.9);
  batch.end(2, 'failed');
  batch.end(2, 'finished');
  assert.equal(batch.view(), { ...batch.view(), done: 1, failed: 2, percent: 100, secondsLeft: null });
});

test('the time in which nothing is encoded does not count for the speed', () => {
  const { batch, pass } = batchOf(1);
  batch.setLength(0, 100);
  batch.update(0, 0, false);
  pass(1000);
  batch.update(0, 0, true);
  assert.is(batch.view().speed, null);
  pass(10);
  batch.update(0, 50, true);
  batch.setFrozen(true);
  pass(1000);
  batch.setFrozen(false);
  assert.equal([batch.view().speed, batch.view().secondsLeft], [5, 10]);
});

test.run();
