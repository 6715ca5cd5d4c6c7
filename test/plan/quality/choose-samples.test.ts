import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chooseSamples, framesOfSamples } from '../../../daemon/plan/quality/choose-samples.js';

/** A film with this many bytes in each second. */
const film = (seconds: number, bytes: (second: number) => number) =>
  Array.from({ length: seconds }, (_, second) => bytes(second));

test('a film under a minute is taken as a whole', () => {
  assert.is(chooseSamples(film(59, () => 1000)), null);
  assert.is(chooseSamples([]), null);
});

test('the number of samples follows the minutes, between 6 and 24', () => {
  const counts = [60, 300, 600, 5400].map((seconds) => chooseSamples(film(seconds, (at) => at))?.length);
  assert.equal(counts, [6, 6, 10, 24]);
});

test('parts without frames are no samples, unless nothing is known of any part', () => {
  const rare = (seconds: readonly number[]) =>
    chooseSamples(film(240, (second) => (seconds.includes(second) ? 500 : 0)));
  const starts = rare([1, 61, 130, 231])?.map(({ startSeconds }) => startSeconds);
  assert.equal(starts, [0, 60, 128, 228]);
  assert.is(
    rare([1, 61, 130, 231])?.reduce((sum, { weight }) => sum + weight, 0),
    1,
  );
  assert.is(rare([])?.length, 6);
});

test('the samples stand for easy and hard parts in their proportion', () => {
  // A tenth of the film is ten times as hard, in one piece.
  const bytes = film(1200, (second) => (second >= 600 && second < 720 ? 10_000 : 1000 + (second % 7) * 10));
  const samples = chooseSamples(bytes) ?? [];
  const mean = bytes.reduce((sum, one) => sum + one, 0) / bytes.length;
  const estimate = samples.reduce((sum, { startSeconds, lengthSeconds, weight }) => {
    const measured = bytes.slice(startSeconds, startSeconds + lengthSeconds);
    return sum + (weight * measured.reduce((all, one) => all + one, 0)) / lengthSeconds;
  }, 0);
  assert.ok(Math.abs(estimate / mean - 1) < 0.02, `${estimate} of ${mean}`);
  const hard = samples.filter(({ startSeconds }) => startSeconds >= 600 && startSeconds < 720);
  assert.is(hard.length, 2);
});

test('a source of constant bitrate is divided by time', () => {
  const samples = chooseSamples(film(600, (second) => 1000 + (second % 3))) ?? [];
  for (const [index, { startSeconds }] of samples.entries())
    assert.ok(startSeconds >= index * 60 && startSeconds < (index + 1) * 60, `${index}: ${startSeconds}`);
});

test('samples do not overlap, lie in the film, and have a second of lead-in where there is one', () => {
  for (const seconds of [60, 61, 67, 333, 4000]) {
    const samples = chooseSamples(film(seconds, (second) => 500 + ((second * 7919) % 1000))) ?? [];
    const weights = samples.reduce((sum, { weight }) => sum + weight, 0);
    assert.ok(Math.abs(weights - 1) < 1e-9);
    for (const [index, { startSeconds, lengthSeconds, leadInSeconds }] of samples.entries()) {
      assert.ok(startSeconds + lengthSeconds <= (samples[index + 1]?.startSeconds ?? seconds));
      assert.is(leadInSeconds, startSeconds === 0 ? 0 : 1);
    }
  }
});

test('the frames of samples are those of their times at the mean frame rate, within the video', () => {
  const sample = (startSeconds: number) => ({
    startSeconds,
    lengthSeconds: 4,
    leadInSeconds: 1,
    weight: 0.5,
  });
  assert.equal(framesOfSamples([sample(0), sample(96)], 2400, 100), [
    { first: 0, last: 95 },
    { first: 2304, last: 2399 },
  ]);
  // The video is shorter than the film was said to be.
  assert.equal(framesOfSamples([sample(8), sample(12)], 100, 10), [{ first: 80, last: 99 }]);
});

test.run();
