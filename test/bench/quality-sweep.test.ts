import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bestPoint, type SweepPoint } from '../../bench/quality-sweep.js';

/** Scores that are straight as ln(100 - score), and bytes that halve with six factors. */
function pointAt(crf: number): SweepPoint {
  return { crf, score: 100 - Math.exp(0.15 * crf - 1.5), bytes: 1e6 * 2 ** (-crf / 6) };
}

const pointsAt = (...factors: readonly number[]) => new Map(factors.map((crf) => [crf, pointAt(crf)]));
const exact = { isWhole: false };

for (const [where, crf, factors] of [
  ['between two points', 21.4, [21, 22, 23]],
  ['after the last point', 23.5, [21, 22, 23]],
  ['at a point', 22, [21, 22, 23]],
] as const) {
  test(`the best factor ${where} is on their line`, () => {
    const { score, bytes } = pointAt(crf);
    const best = bestPoint(pointsAt(...factors), score - 1e-9, exact);
    assert.ok(best !== null && Math.abs(best.crf - crf) < 1e-6, `${best?.crf}`);
    assert.ok(Math.abs(best.bytes / bytes - 1) < 1e-6, `${best.bytes}`);
  });
}

test('an encoder with whole factors gets the greatest one that reaches the score', () => {
  const best = bestPoint(pointsAt(21, 22, 23), pointAt(22.9).score, { isWhole: true });
  assert.equal(best, pointAt(22));
});

test('a score that no factor reaches has none', () => {
  assert.is(bestPoint(pointsAt(21, 22), 99, exact), null);
  assert.is(bestPoint(pointsAt(21, 22), 99, { isWhole: true }), null);
});

test.run();
