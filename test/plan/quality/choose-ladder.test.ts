import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  chooseLadder,
  type LadderLimits,
  type LadderProbe,
  nextLadderProbe,
} from '../../../daemon/plan/quality/choose-ladder.js';
import type { CrfScale } from '../../../daemon/plan/quality/search-crf.js';

const scale: CrfScale = { min: 1, max: 51, step: 0.5, first: 20, slope: 0.14 };
const limits: LadderLimits = {
  target: 93,
  minRenditions: 2,
  maxRenditions: 6,
  minKbps: 150,
  maxKbps: Number.POSITIVE_INFINITY,
  maxFirstKbps: Number.POSITIVE_INFINITY,
  minRatio: 1,
  maxRatio: Number.POSITIVE_INFINITY,
};

/** A film whose score and bitrate follow its factor as usual; a smaller size lacks `blur` points however many bits it has. */
function probesOf(height: number, kbpsAt20: number, blur: number): readonly LadderProbe[] {
  return [20, 26, 32].map((crf) => ({
    height,
    crf,
    score: 100 - (7 + blur) * Math.exp((crf - 20) * 0.14),
    kbps: kbpsAt20 * Math.exp((20 - crf) * 0.12),
  }));
}

const film = [...probesOf(1080, 4000, 0), ...probesOf(720, 1500, 6), ...probesOf(360, 400, 20)];
const renditionsOf = (points: ReturnType<typeof chooseLadder>) =>
  points.filter(({ rendition }) => rendition !== null);

test('the top is the cheapest point that reaches the target, and each lower rendition is a visible step', () => {
  const chosen = renditionsOf(chooseLadder(film, scale, limits));
  const [top] = chosen;
  assert.equal(top, { height: 1080, crf: 20, score: 93, kbps: 4000, rendition: chosen.length });
  assert.equal(
    chosen.map(({ rendition }) => rendition),
    chosen.map((_, index) => chosen.length - index),
  );
  for (const [index, point] of chosen.entries()) {
    const above = chosen[index - 1];
    if (above === undefined) continue;
    assert.ok(above.score - point.score >= 2);
    assert.ok(above.score - point.score >= 6 || above.kbps / point.kbps >= 1.5);
    assert.ok(point.height <= above.height && point.kbps >= 150);
  }
  assert.ok(chosen.length >= 4 && chosen.length <= 6);
});

test('for each bitrate the size with the best score is taken', () => {
  const points = chooseLadder(film, scale, limits);
  for (const { height, kbps, score } of points)
    for (const probe of film)
      assert.not.ok(probe.height !== height && probe.kbps <= kbps && probe.score > score);
  assert.ok(points.some(({ height }) => height === 720));
  assert.not.ok(points.some(({ height, crf }) => height === 1080 && crf === 32));
});

test('a film that does not reach the target has its best point on top', () => {
  const [top] = renditionsOf(chooseLadder(probesOf(480, 900, 20), scale, limits));
  assert.is(top?.height, 480);
  // The curve goes on half a step beyond the first probe.
  assert.is(top?.crf, 17);
});

test('an easy film has few renditions', () => {
  const easy = [20, 26, 32].map((crf) => ({
    height: 720,
    crf,
    score: 99 - (crf - 20) * 0.05,
    kbps: 300 - crf,
  }));
  const chosen = renditionsOf(chooseLadder(easy, scale, limits));
  assert.is(chosen.length, 1);
  assert.is(chosen[0]?.rendition, 1);
});

test('the number of renditions is within its limits', () => {
  assert.is(renditionsOf(chooseLadder(film, scale, { ...limits, maxRenditions: 3 })).length, 3);
  assert.is(renditionsOf(chooseLadder(film, scale, { ...limits, maxRenditions: 1 })).length, 1);
  const many = renditionsOf(chooseLadder(film, scale, { ...limits, minRenditions: 9, maxRenditions: 10 }));
  assert.ok(many.length >= 9);
});

test('bitrates are within their limits', () => {
  const within = (edit: Partial<LadderLimits>) =>
    renditionsOf(chooseLadder(film, scale, { ...limits, ...edit }));
  assert.ok(within({ maxKbps: 1000 }).every(({ kbps }) => kbps <= 1000));
  assert.ok(within({ minKbps: 600 }).every(({ kbps }) => kbps >= 600));
  const slow = within({ maxFirstKbps: 120 });
  assert.ok((slow.at(-1)?.kbps ?? 0) <= 120);
  assert.is(slow.at(-1)?.rendition, 1);
  for (const [index, { kbps }] of within({ minRatio: 2 }).entries())
    assert.ok(index === 0 || (within({ minRatio: 2 })[index - 1]?.kbps ?? 0) / kbps >= 2);
  const fine = within({ maxRatio: 1.3, maxRenditions: 10 });
  assert.ok(fine.length > within({}).length);
  // A limit below all of the film leaves its cheapest point.
  assert.is(within({ maxKbps: 1 }).length, 1);
});

test('one probe of one size is a ladder of one, and no probe is none', () => {
  const [probe] = film;
  assert.ok(probe);
  assert.equal(chooseLadder([probe], scale, limits), [{ ...probe, rendition: 1 }]);
  assert.equal(chooseLadder([], scale, limits), []);
});

test('a part of a curve that bends is tried, and one that is straight is not', () => {
  const next = (probes: readonly LadderProbe[], minKbps = limits.minKbps) =>
    nextLadderProbe(probes, chooseLadder(probes, scale, { ...limits, minKbps }), scale);
  assert.is(next(probesOf(1080, 4000, 0), 1000), null);
  // Text is sharp up to a factor, and then falls apart.
  const text = [20, 26, 32].map((crf) => ({
    height: 480,
    crf,
    score: 99.9 - (crf - 20) * 0.02,
    kbps: 400 - 8 * crf,
  }));
  const first = next(text);
  assert.ok(first !== null && first.crf > 32.5, JSON.stringify(first));
  const bent = next([...text, { height: 480, crf: 38, score: 60, kbps: 110 }], 50);
  assert.ok(bent !== null && bent.crf > 32 && bent.crf < 38, JSON.stringify(bent));
  // It is known once it was tried.
  assert.is(
    nextLadderProbe(
      [...text, { height: 480, crf: 33, score: 94, kbps: 140 }],
      [{ height: 480, crf: 33, score: 94, kbps: 140, rendition: 1 }],
      scale,
    ),
    null,
  );
});

test('a rendition that saves no bits is none', () => {
  const text = [
    { height: 480, crf: 20, score: 93, kbps: 400 },
    { height: 480, crf: 26, score: 60, kbps: 380 },
  ];
  assert.is(renditionsOf(chooseLadder(text, scale, { ...limits, minRenditions: 1 })).length, 1);
});

test('more renditions are not asked of a film that has no more that differ', () => {
  const flat = [20, 26].map((crf) => ({ height: 1080, crf, score: 94 - (crf - 20) * 0.2, kbps: 175 - crf }));
  assert.is(renditionsOf(chooseLadder(flat, scale, { ...limits, minRenditions: 5 })).length, 1);
});

test.run();
