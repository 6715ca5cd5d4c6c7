import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FileProgress } from '../../daemon/jobs/progress.js';
import {
  createEncodingProgressReporter,
  startRateEstimate,
  updateRateEstimate,
} from '../../daemon/pipeline/encoding-progress-reporter.js';
import { downloadWeight, progressWeights } from '../../daemon/pipeline/progress-weights.js';
import { encoderDelayFrames } from '../../daemon/plan/encoders.js';
import type { Step } from '../../daemon/plan/plan-types.js';
import { onePass, threeOutputs } from './encoding-traces.js';

const step = (share: number, durationSeconds: number | null = 60, heldFrames = 0): Step => ({
  outputIds: [7],
  args: [],
  durationSeconds,
  progressWeight: share,
  encoderDelayFrames: heldFrames,
});
const at = (seconds: number) => ({ seconds, frame: null, fps: null, speed: null });

/** Reports twice a second for steps with a given media rate. Returns the reports with the true seconds left. */
function reportsFor(
  steps: readonly (readonly [Step, number])[],
  rateAt: (rate: number, second: number) => number = (rate) => rate,
): readonly (readonly [FileProgress, number])[] {
  const report = createEncodingProgressReporter(
    steps.map(([one]) => one),
    1,
  );
  const reports: (readonly [FileProgress, number])[] = [];
  let ticks = 0;
  for (const [one, rate] of steps) {
    for (let seconds = 0; seconds < (one.durationSeconds ?? 60); ticks += 1) {
      reports.push([report(one, at(seconds), ticks * 500), ticks / 2]);
      seconds += rateAt(rate, ticks / 2) / 2;
    }
  }
  return reports.map(([progress, second]) => [progress, ticks / 2 - second]);
}

/** The maximum relative error of the time left after a part of the run; too low estimates are ignored. */
function worst(reports: readonly (readonly [FileProgress, number])[], from: number): number {
  const later = reports.slice(Math.floor(reports.length * from)).filter(([, left]) => left > 1.5);
  assert.ok(later.length > 5, `${later.length} reports`);
  return Math.max(
    ...later.map(([{ eta_in_ms: eta }, left]) => Math.abs((eta ?? Number.NaN) / 1000 - left) / left),
  );
}

test('with a constant rate the time left is exact from the second report on', () => {
  assert.ok(worst(reportsFor([[step(1), 3]]), 0.1) < 0.06);
});

test('a slow first frame does not distort the rate of the others', () => {
  const reports = reportsFor([[step(1), 3]], (rate, second) => (second < 2 ? 0.001 : rate));
  assert.ok(worst(reports, 0.3) < 0.2, `${worst(reports, 0.3)}`);
});

test('frames that an encoder buffers count as still to come, though the audio has ended', () => {
  const [rate, held, framesPerSecond] = [3, 60, 25];
  const one = step(1, 60, held);
  const report = createEncodingProgressReporter([one], 1);
  const heldSeconds = held / framesPerSecond;
  const end = 60 / rate;
  for (let second = 0; second < end - heldSeconds / rate; second += 0.5) {
    const seconds = Math.min(60, heldSeconds + second * rate);
    const { eta_in_ms } = report(one, { ...at(seconds), frame: seconds * framesPerSecond }, second * 1000);
    const left = end - second;
    if (second >= 1)
      assert.ok(Math.abs((eta_in_ms ?? 0) / 1000 - left) < 0.1 * left, `${eta_in_ms} for ${left}`);
  }
  const [first] = [createEncodingProgressReporter([one], 1)(one, { ...at(1), frame: 25 }, 500)];
  assert.is(first.eta_in_ms, undefined);
});

for (const [name, trace, speed] of [
  ['one output', onePass, 2],
  ['three outputs at once', threeOutputs, 3],
] as const) {
  test(`for a real encode of ${name}, the time left is within a fifth after the first quarter`, () => {
    const one = step(1, 30, encoderDelayFrames('libx264', speed));
    const report = createEncodingProgressReporter([one], 1);
    const [end] = trace.at(-1) ?? [0];
    const errors = trace.flatMap(([atMs, seconds, frame]) => {
      const { eta_in_ms: eta = Number.NaN } = report(one, { ...at(seconds), frame }, atMs);
      const left = end - atMs;
      return atMs < end / 4 || left < end / 8 ? [] : [Math.abs(eta - left) / left];
    });
    assert.is(report(one, { ...at(30), frame: 750 }, end).eta_in_ms, 0);
    assert.ok(errors.length > 8 && Math.max(...errors) < 0.2, errors.join());
  });
}

test('thumbnails add the cost of decoding the film up to them, and at most the whole film', () => {
  const one = step(1, 60);
  const etaWith = (thumbnails: number) => {
    const report = createEncodingProgressReporter([one], 0.9, thumbnails);
    report(one, at(3), 1000);
    return report(one, at(6), 2000).eta_in_ms;
  };
  assert.equal([0, 2, 12, 500].map(etaWith), [18_000, 18_333, 20_000, 20_000]);
});

test('the second pass is estimated from the progress weights, and then from its own rate', () => {
  const right = [[step(0.25), 12] as const, [step(0.75), 4] as const];
  assert.ok(worst(reportsFor(right), 0.25) < 0.1);
  const wrong = [[step(0.5), 12] as const, [step(0.5), 4] as const];
  assert.ok(worst(reportsFor(wrong), 0.6) < 0.2);
});

test('a lasting change of rate is adopted within seconds', () => {
  const reports = reportsFor([[step(1), 3]], (rate, second) => (second < 6 ? rate : rate / 2));
  assert.ok(worst(reports, 0.65) < 0.2, `${worst(reports, 0.65)}`);
});

test('percent never falls, and passes follow each other without a jump', () => {
  const reports = reportsFor([
    [step(0.02), 100],
    [step(0.3), 12],
    [step(0.68), 4],
  ]);
  const percents = reports.map(([{ percent }]) => percent);
  for (const [index, percent] of percents.entries()) {
    assert.ok(percent >= (percents[index - 1] ?? 0));
    assert.ok(index < 2 || percent - (percents[index - 1] ?? 0) < 8, `${percents[index - 1]} ${percent}`);
  }
  assert.ok((percents.at(-1) ?? 0) > 95 && (percents.at(-1) ?? 0) <= 100);
});

test('no time is estimated if the duration of the input or the rate is unknown', () => {
  const [, second] = reportsFor([[step(1, null), 3]]);
  assert.equal(second?.[0], { event: 'transcoding', percent: 0, overallPercent: 0 });
  const report = createEncodingProgressReporter([step(1)], 0.9);
  assert.is(report(step(1), at(0), 0).eta_in_ms, undefined);
});

test('reports that arrive together or go backwards do not distort the rate', () => {
  const estimate = updateRateEstimate(updateRateEstimate(startRateEstimate(), 0, 1), 500, 2);
  assert.is(estimate.rate, 2);
  assert.is(updateRateEstimate(estimate, 500, 3), estimate);
  assert.is(updateRateEstimate(estimate, 900, 0), estimate);
  assert.ok((updateRateEstimate(estimate, 1000, 1).rate ?? -1) >= 0);
});

test('the progress weights of an output add up to 1, by its destination and the part of the input', () => {
  const cases = [
    ['hosted://t/a.mp4', {}, [0.99, 0, 0.01]],
    ['file:///a.mp4', { thumbnails: [{}] }, [0.978, 0.012, 0.01]],
    ['s3://b/a.mp4', {}, [0.9, 0, 0.1]],
    ['ftp://h/a.mp4', { thumbnails: [{ number: 500 }] }, [0.6, 0.3, 0.1]],
  ] as const;
  for (const [destination, settings, expected] of cases) {
    const { encode, thumbnails, upload } = progressWeights({ destination, settings });
    const found = [encode, thumbnails, upload].map((share) => Math.round(share * 1000) / 1000);
    assert.equal(found, expected);
  }
});

test('a local input gives the download almost no weight', () => {
  assert.ok(downloadWeight('file:///a.mp4') < 0.5 && downloadWeight('http://h/a.mp4') > 0.9);
});

test.run();
