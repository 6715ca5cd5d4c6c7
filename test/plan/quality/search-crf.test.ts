import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type CrfResult,
  type CrfScale,
  correctCrf,
  type QualityGoal,
  searchCrf,
} from '../../../daemon/plan/quality/search-crf.js';

const scale: CrfScale = { min: 1, max: 51, step: 0.1, first: 23, slope: 0.15 };
const goal: QualityGoal = { target: 94, floor: null };

/** Searches with results of this curve. */
function search(scoreAt: (crf: number) => number, wanted = goal, of = scale) {
  const probes: CrfResult[] = [];
  for (;;) {
    const step = searchCrf(probes, wanted, of);
    if (step.type === 'found') return { ...step, probes };
    const score = scoreAt(step.crf);
    probes.push({ crf: step.crf, score, worst: score - 10 });
  }
}

/** A film whose score falls this fast, and is 94 at this factor. */
const curve =
  (crfOf94: number, slope: number, bend = 0) =>
  (crf: number) => {
    const distance = crf - crfOf94;
    return Math.max(0, 100 - Math.exp(Math.log(6) + distance * slope + bend * distance ** 2));
  };

test('a film as expected needs one probe', () => {
  const { crf, probes, limitedBy } = search(curve(23.25, 0.15));
  assert.equal([crf, probes.length, limitedBy], [23.2, 1, null]);
});

test('films of other slopes need at most three', () => {
  for (const crfOf94 of [14, 18, 27, 33])
    for (const slope of [0.08, 0.12, 0.2, 0.28]) {
      const { crf, probes } = search(curve(crfOf94, slope));
      assert.ok(Math.abs(crf - crfOf94) < 0.7, `${crfOf94} at ${slope}: ${crf}`);
      assert.ok(probes.length <= 3, `${crfOf94} at ${slope}: ${probes.length}`);
    }
});

test('a curve that is not straight ends after four probes, close to the goal', () => {
  for (const bend of [-0.004, 0.004]) {
    const scoreOf = curve(30, 0.16, bend);
    const { crf, probes } = search(scoreOf);
    assert.ok(probes.length <= 4);
    assert.ok(Math.abs(scoreOf(crf) - 94) < 1, `${bend}: ${crf}`);
  }
});

test('scores that fall ever faster do not need a correction', () => {
  // A pan over a still: factors and scores that x264 gave.
  const measured = [
    [20, 99.2],
    [24.9, 98.6],
    [27.4, 94],
    [30.5, 85.3],
    [31.6, 81.9],
    [34.1, 73.4],
    [40.2, 51.4],
  ] as const;
  const scoreOf = (crf: number) => {
    const index = Math.max(
      1,
      measured.findIndex(([factor]) => factor >= crf),
    );
    const [[from, high], [to, low]] = [measured[index - 1] ?? measured[0], measured[index] ?? measured[6]];
    return high + ((crf - from) / (to - from)) * (low - high);
  };
  for (const target of [88, 94]) {
    const { crf, probes } = search(scoreOf, { target, floor: null }, { ...scale, first: 24.9 });
    assert.ok(Math.abs(scoreOf(crf) - target) <= 1, `${target}: ${crf} ${JSON.stringify(probes)}`);
  }
});

test('a score that the encoder cannot reach ends at the end of its scale', () => {
  const best = search((crf) => 92 - crf / 10);
  assert.equal([best.crf, best.limitedBy], [1, 'crf']);
  const worst = search((crf) => 99 - crf / 100);
  assert.equal([worst.crf, worst.limitedBy], [51, 'crf']);
});

test('a floor decides where the worst second is too bad', () => {
  const floor: QualityGoal = { target: 90, floor: 85 };
  const { crf } = search(curve(23, 0.15), floor);
  // The worst second is 10 points below the mean.
  assert.ok(Math.abs(curve(23, 0.15)(crf) - 95) < 0.5, String(crf));
});

test('factors are on the grid of the encoder, and not worse than asked for', () => {
  const av1: CrfScale = { min: 1, max: 63, step: 1, first: 35, slope: 0.07 };
  const scoreOf = curve(40.6, 0.07);
  const { crf } = search(scoreOf, goal, av1);
  assert.is(crf, 40);
  assert.ok(scoreOf(crf) >= 94);
});

test('a curve that stands still ends', () => {
  const { probes, limitedBy } = search((crf) => (crf < 20 ? 99.9 : 15));
  assert.ok(probes.length <= 4);
  assert.is(limitedBy, 'probes');
});

test('a miss by more than a point is corrected once, along the slope of the probes', () => {
  const reached: CrfResult = { crf: 24, score: 91.5, worst: 80 };
  assert.is(correctCrf({ ...reached, score: 93.2 }, [], goal, scale), null);
  const corrected = correctCrf(reached, [], goal, scale) ?? 0;
  assert.ok(corrected > 21 && corrected < 22, String(corrected));
  const steep = [20, 25].map((crf) => ({ crf, score: curve(24, 0.3)(crf), worst: 0 }));
  const less = correctCrf(reached, steep, goal, scale) ?? 0;
  assert.ok(less > 22.5 && less < 23, String(less));
});

test('where no factor reaches the goal, the greatest of the best ones is taken', () => {
  const still = search(() => 97.43, { target: 99, floor: null });
  assert.equal([still.crf, still.limitedBy, still.predicted], [23, 'crf', 97.43]);
  // A cap on the bitrate decides, and finer factors make it worse.
  const capped = search((crf) => (crf > 20 ? 84.2 : 83.2), { target: 94, floor: null });
  assert.equal([capped.crf, capped.limitedBy], [23, 'crf']);
});

test.run();
