/** The constant rate factors of an encoder, in its own scale. A lower one means more bits. */
export interface CrfScale {
  readonly min: number;
  readonly max: number;
  /** The smallest difference that the encoder knows. */
  readonly step: number;
  /** The factor to try first, and how much ln(100 - score) grows with each unit of the factor. */
  readonly first: number;
  readonly slope: number;
}

/** What an encode with one factor has reached: its score, 0-100, and that of its worst second. */
export interface CrfResult {
  readonly crf: number;
  readonly score: number;
  readonly worst: number;
}

/** What is to be reached: a mean score, and a score for each second; null for none. */
export interface QualityGoal {
  readonly target: number;
  readonly floor: number | null;
}

/** A goal, and the scale on which the factor for it is searched. */
export interface TargetQuality extends QualityGoal {
  readonly scale: CrfScale;
}

/** The next factor to try, or the one to encode with. */
export type CrfStep =
  | { readonly type: 'probe'; readonly crf: number }
  | {
      readonly type: 'found';
      readonly crf: number;
      /** The score that it should reach. */
      readonly predicted: number;
      /** Why it may miss the goal: the scale of the encoder ends, or no more probes were allowed. */
      readonly limitedBy: 'crf' | 'probes' | null;
    };

const maxProbes = 4;
/** A probe this close to the goal is not followed by another one. */
const closeScore = 0.3;
/** The same once two probes show the slope: a line over so short a distance is exact enough. */
const closeWithSlope = 1;
/** A goal is met if its error is at most this. */
const maxMiss = 1;
/** Scores that differ by less are taken as equal. */
const sameScore = 0.1;
/** Beyond these scores the curve is flat and says nothing about the slope. */
const meaningful = { min: 20, max: 99.5 } as const;
/** A line through two probes is trusted within these multiples of the usual slope. */
const slopeRange = { min: 0.25, max: 3 } as const;

/**
 * The next step of a search for the greatest factor that reaches a goal, after these probes. The score is nearly
 * straight as ln(100 - score) over the factor: the mean error of an interpolation is 0.8 points, and 2.5 with the score
 * itself. Films for which it is not get the best factor known after four probes. Pure.
 */
export function searchCrf(probes: readonly CrfResult[], goal: QualityGoal, scale: CrfScale): CrfStep {
  if (probes.length === 0) return { type: 'probe', crf: onGrid(scale.first, scale) };
  const estimates = [
    estimate(pointsOf(probes, 'score'), goal.target, scale),
    ...(goal.floor === null ? [] : [estimate(pointsOf(probes, 'worst'), goal.floor, scale)]),
  ];
  const wanted = Math.min(...estimates);
  const crf = onGrid(wanted, scale);
  const isOutside = wanted < scale.min || wanted > scale.max;
  const isTried = probes.some((probe) => probe.crf === crf);
  const close = probes.length > 1 ? closeWithSlope : closeScore;
  const isClose = probes.some((probe) => Math.abs(marginOf(probe, goal)) <= close);
  if (!isTried && !isClose && !isNarrow(probes, goal, scale) && probes.length < maxProbes)
    return { type: 'probe', crf };
  const closest = closestOf(probes, goal);
  const points = pointsOf(probes, 'score');
  const isOnCurve = goal.floor === null && crfOnCurve(points, lossOf(goal.target)) !== null;
  const hasMissed = Math.abs(marginOf(closest, goal)) > maxMiss && !isOnCurve;
  const isBeyond = wanted < scale.min;
  const final = isBeyond ? bestOf(probes, goal).crf : hasMissed && !isOutside ? closest.crf : crf;
  const predicted = points.find((point) => point.crf === final)?.score ?? scoreAt(points, final, scale);
  return { type: 'found', crf: final, predicted, limitedBy: isOutside ? 'crf' : hasMissed ? 'probes' : null };
}

/**
 * The factor for a second encode, after the first one missed the goal or is better than it by more than a point; null if
 * another one is not expected to get closer. Pure.
 */
export function correctCrf(
  reached: CrfResult,
  probes: readonly CrfResult[],
  goal: QualityGoal,
  scale: CrfScale,
): number | null {
  if (!missesGoal(reached, goal) && marginOf(reached, goal) <= maxMiss) return null;
  const [first, ...others] = [...probes].sort(
    (a, b) => Math.abs(a.crf - reached.crf) - Math.abs(b.crf - reached.crf),
  );
  const move = (key: 'score' | 'worst', target: number) => {
    const isAbove = first !== undefined && first[key] >= target;
    const second = others.find((probe) => probe[key] >= target !== isAbove) ?? others[0];
    const slope =
      first === undefined || second === undefined
        ? scale.slope
        : slopeOf({ crf: first.crf, score: first[key] }, { crf: second.crf, score: second[key] }, scale);
    return reached.crf + (lossOf(target) - lossOf(reached[key])) / slope;
  };
  const wanted = Math.min(
    move('score', goal.target),
    ...(goal.floor === null ? [] : [move('worst', Math.min(99, goal.floor + closeScore))]),
  );
  const crf = onGrid(wanted, scale);
  return crf === reached.crf ? null : crf;
}

/** Whether a result misses its goal: by more than a point in the mean, or by anything in its worst second. */
export function missesGoal({ score, worst }: CrfResult, { target, floor }: QualityGoal): boolean {
  return score < target - maxMiss || (floor !== null && worst < floor);
}

/** How much better a result is than the goal, in points: negative if it misses it. */
function marginOf({ score, worst }: CrfResult, { target, floor }: QualityGoal): number {
  return Math.min(score - target, floor === null ? Number.POSITIVE_INFINITY : worst - floor);
}

interface Point {
  readonly crf: number;
  readonly score: number;
}

function pointsOf(probes: readonly CrfResult[], key: 'score' | 'worst'): readonly Point[] {
  return probes.map((probe) => ({ crf: probe.crf, score: probe[key] })).sort((a, b) => a.crf - b.crf);
}

/** What a score lacks, as it grows straight with the factor. */
export function lossOf(score: number): number {
  return Math.log(100 - Math.min(score, 99.9));
}

/** Where the curve through the points should meet a score. May be outside of the scale. */
function estimate(points: readonly Point[], target: number, scale: CrfScale): number {
  const [one, other] = neighbours(points, target);
  if (one.score > meaningful.max && target <= meaningful.max && other === null)
    return (one.crf + scale.max) / 2;
  if (one.score < meaningful.min && other === null) return (one.crf + scale.min) / 2;
  const isBetween = other !== null && one.score >= target !== other.score >= target;
  if (isBetween) return crfOnCurve(points, lossOf(target)) ?? crfOnLine(one, target, steepness(one, other));
  return crfOnLine(one, target, other === null ? scale.slope : slopeOf(one, other, scale));
}

function crfOnLine({ crf, score }: Point, target: number, slope: number): number {
  return crf + (lossOf(target) - lossOf(score)) / slope;
}

/**
 * Where a monotone cubic curve through at least three points, sorted by their factors, has a loss (Fritsch and Butland).
 * Fast motion scores ever worse with each factor, and a line misses by five points. Null if the scores do not fall.
 */
function crfOnCurve(points: readonly Point[], loss: number): number | null {
  const knots = points.map(({ crf, score }) => ({ crf, loss: lossOf(score) }));
  const spans = knots.slice(1).map((to, index) => {
    const from = knots[index] ?? to;
    const width = to.loss - from.loss;
    return { from, to, width, slope: (to.crf - from.crf) / width };
  });
  if (spans.length < 2 || spans.some(({ width }) => width <= 0)) return null;
  const index = spans.findIndex(({ from, to }) => from.loss <= loss && loss <= to.loss);
  const span = spans[index];
  if (span === undefined) return null;
  const [start, end] = [tangent(spans[index - 1], span), tangent(span, spans[index + 1])];
  const t = (loss - span.from.loss) / span.width;
  return (
    span.from.crf * (1 + 2 * t) * (1 - t) ** 2 +
    span.to.crf * t ** 2 * (3 - 2 * t) +
    span.width * (start * t * (1 - t) ** 2 - end * t ** 2 * (1 - t))
  );
}

interface Span {
  readonly width: number;
  readonly slope: number;
}

/** The slope of the curve where two spans meet; at its ends that of the only one. */
function tangent(before: Span | undefined, after: Span | undefined): number {
  if (before === undefined || after === undefined) return (before ?? after)?.slope ?? 0;
  const [first, second] = [before.width + 2 * after.width, 2 * before.width + after.width];
  return (first + second) / (first / before.slope + second / after.slope);
}

/** The score that the curve through the points should have at a factor. */
function scoreAt(points: readonly Point[], crf: number, scale: CrfScale): number {
  const sorted = [...points].sort((a, b) => Math.abs(a.crf - crf) - Math.abs(b.crf - crf));
  const [one = { crf, score: 0 }, other = null] = sorted;
  const slope = other === null ? scale.slope : slopeOf(one, other, scale);
  return 100 - Math.exp(lossOf(one.score) + (crf - one.crf) * slope);
}

/** The point nearest to a score, and the one that a line should lead to: on the other side of the score if there is one. */
function neighbours(points: readonly Point[], target: number): readonly [Point, Point | null] {
  const byDistance = [...points].sort(
    (a, b) => Math.abs(lossOf(a.score) - lossOf(target)) - Math.abs(lossOf(b.score) - lossOf(target)),
  );
  const [one = { crf: 0, score: target }, ...others] = byDistance;
  const opposite = others.find(({ score }) => score >= target !== one.score >= target);
  return [one, opposite ?? others[0] ?? null];
}

function steepness(one: Point, other: Point): number {
  return (lossOf(other.score) - lossOf(one.score)) / (other.crf - one.crf);
}

/** The slope beyond two points, within what is usual. */
function slopeOf(one: Point, other: Point, { slope }: CrfScale): number {
  const measured = steepness(one, other);
  if (!Number.isFinite(measured)) return slope;
  return Math.min(slope * slopeRange.max, Math.max(slope * slopeRange.min, measured));
}

/** The factor on the grid of the encoder that is not worse. */
export function onGrid(crf: number, { min, max, step }: CrfScale): number {
  const steps = Math.floor((Math.min(max, Math.max(min, crf)) - min) / step + 1e-6);
  return Number((min + steps * step).toFixed(3));
}

/** Whether no factor is left between one that reaches the goal and one that does not. */
function isNarrow(probes: readonly CrfResult[], goal: QualityGoal, { step }: CrfScale): boolean {
  const reached = probes.filter((one) => marginOf(one, goal) >= 0).map(({ crf }) => crf);
  const missed = probes.filter((one) => marginOf(one, goal) < 0).map(({ crf }) => crf);
  return Math.min(...missed) - Math.max(...reached) <= step * 1.001;
}

/** Of the probes nearest to a goal that none reaches, the one with the greatest factor: it needs the fewest bits. */
function bestOf(probes: readonly CrfResult[], goal: QualityGoal): CrfResult {
  const best = Math.max(...probes.map((probe) => marginOf(probe, goal)));
  const good = probes.filter((probe) => marginOf(probe, goal) >= best - sameScore);
  return good.reduce((greatest, probe) => (probe.crf > greatest.crf ? probe : greatest));
}

function closestOf(probes: readonly CrfResult[], goal: QualityGoal): CrfResult {
  const distance = (probe: CrfResult) => Math.abs(marginOf(probe, goal));
  return probes.reduce((best, probe) => (distance(probe) < distance(best) ? probe : best));
}
