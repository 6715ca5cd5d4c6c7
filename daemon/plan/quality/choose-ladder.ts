import { type CrfScale, lossOf } from './search-crf.js';

/** A size of a film that was encoded with a constant rate factor, and what that gave. */
export interface LadderProbe {
  /** In pixels. */
  readonly height: number;
  readonly crf: number;
  /** Against the film, 0-100. */
  readonly score: number;
  readonly kbps: number;
}

/** A size and a factor, with what they should give. `rendition` is its number from 1, the lowest; null if none has it. */
export interface LadderPoint extends LadderProbe {
  readonly rendition: number | null;
}

/** What the renditions of a ladder may be. Bitrates are in Kbps. */
export interface LadderLimits {
  /** The score that the best rendition should have. */
  readonly target: number;
  readonly minRenditions: number;
  readonly maxRenditions: number;
  readonly minKbps: number;
  readonly maxKbps: number;
  /** The greatest bitrate of the lowest rendition. */
  readonly maxFirstKbps: number;
  /** The bitrate of a rendition as a multiple of the next lower one: at least, and at most. */
  readonly minRatio: number;
  readonly maxRatio: number;
}

/**
 * A rendition is followed by one that is lower by this, in score or in bitrate, and that differs visibly and in bitrate at
 * all.
 */
const step = { points: 6, ratio: 1.5, minPoints: 2, minRatio: 1.15 } as const;
/** How far a curve is trusted beyond its probes, in parts of the distance between two of them. */
const extrapolation = 0.5;
/** Changes the steps until the number of renditions is within its limits. */
const paceStep = 1.05;
const maxPaces = 100;

/**
 * Chooses the renditions of a ladder from probes of some sizes, each with several factors. Between the probes of a size
 * its curve is followed: the bitrate is nearly straight as ln(kbps) over the factor, the score as ln(100 - score). Of
 * all curves only the best size for each bitrate counts. The top is the cheapest point that reaches the target, or the
 * best one. Each further rendition is at least 6 points worse or has a bitrate lower by a third, and is at least 2
 * points worse. Returns the renditions and the probes on the upper envelope, highest bitrate first. Pure.
 */
export function chooseLadder(
  probes: readonly LadderProbe[],
  scale: CrfScale,
  limits: LadderLimits,
): readonly LadderPoint[] {
  const heights = [...new Set(probes.map(({ height }) => height))];
  const all = heights.flatMap((height) =>
    curveOf(
      probes.filter((probe) => probe.height === height),
      scale,
    ),
  );
  const best = envelope(all);
  const allowed = best.filter(({ kbps }) => kbps <= limits.maxKbps);
  const top = allowed.findLast(({ score }) => score >= limits.target) ?? allowed[0] ?? best.at(-1);
  if (top === undefined) return [];
  const renditions = renditionsBelow(top, allowed, limits);
  const numbered = renditions.map((point, index) => ({ ...point, rendition: renditions.length - index }));
  const measured = best
    .filter((point) => probes.some((probe) => isSame(probe, point)))
    .filter((point) => !renditions.some((rendition) => isSame(rendition, point)))
    .map((point) => ({ ...point, rendition: null }));
  return [...numbered, ...measured].sort((a, b) => b.kbps - a.kbps || b.score - a.score);
}

/**
 * The size and the factor that should be tried next, because a rendition stands on a part of its curve that is not known
 * well: beyond all probes, or where it bends (text is sharp up to a factor and then falls apart). Null if all are known
 * well. Pure.
 */
export function nextLadderProbe(
  probes: readonly LadderProbe[],
  points: readonly LadderPoint[],
  scale: CrfScale,
): Pick<LadderProbe, 'height' | 'crf'> | null {
  const uncertain = points.find((point) => point.rendition !== null && !isKnown(probes, point, scale));
  return uncertain === undefined ? null : { height: uncertain.height, crf: uncertain.crf };
}

/** How far a curve is known beyond a probe, and how much its slope may change from one probe to the next. */
const known = { loss: 0.15, bend: 2.5 } as const;

function isKnown(probes: readonly LadderProbe[], { height, crf }: LadderProbe, { slope }: CrfScale): boolean {
  const own = probes.filter((probe) => probe.height === height).sort((a, b) => a.crf - b.crf);
  if (own.some((probe) => Math.abs(probe.crf - crf) * slope <= known.loss)) return true;
  const index = own.findIndex((probe) => probe.crf > crf);
  const slopes = own.slice(1).map((to, at) => {
    const from = own[at] ?? to;
    return (lossOf(to.score) - lossOf(from.score)) / (to.crf - from.crf);
  });
  const span = slopes[index - 1];
  if (span === undefined) return false;
  const neighbours = [slopes[index - 2], slopes[index]].flatMap((one) => one ?? []);
  return neighbours.every((one) => {
    const [less, more] = one < span ? [one, span] : [span, one];
    return less > 0 && more / less <= known.bend;
  });
}

function isSame(one: LadderProbe, other: LadderProbe): boolean {
  return one.height === other.height && one.crf === other.crf;
}

/** The points of one size for each factor around its probes. */
function curveOf(probes: readonly LadderProbe[], scale: CrfScale): readonly LadderProbe[] {
  const sorted = [...probes].sort((a, b) => a.crf - b.crf);
  return sorted.flatMap((from, index) => {
    const [before, to] = [sorted[index - 1], sorted[index + 1]];
    // Beyond the last probe the line of the last two goes on.
    const [one, other] = to !== undefined ? [from, to] : before !== undefined ? [before, from] : [from, from];
    if (one === other) return [from];
    const reach = (other.crf - one.crf) * extrapolation;
    const first = before === undefined ? Math.max(scale.min, from.crf - reach) : from.crf;
    const end = to === undefined ? Math.min(scale.max, from.crf + reach) : to.crf;
    const line = (value: (probe: LadderProbe) => number) => {
      const slope = (value(other) - value(one)) / (other.crf - one.crf);
      return (crf: number) => value(one) + (crf - one.crf) * slope;
    };
    const loss = line(({ score }) => lossOf(score));
    const rate = line(({ kbps }) => Math.log(Math.max(1, kbps)));
    return factorsBetween(first, end, from.crf, scale.step).map((crf) =>
      crf === from.crf
        ? from
        : { height: from.height, crf, score: 100 - Math.exp(loss(crf)), kbps: Math.exp(rate(crf)) },
    );
  });
}

/** The factors from the first up to the end, which is not one of them, with a probe among them. */
function factorsBetween(first: number, end: number, probe: number, crfStep: number): readonly number[] {
  const from = Math.ceil((first - probe) / crfStep - 1e-6);
  const to = Math.ceil((end - probe) / crfStep - 1e-6);
  return Array.from({ length: Math.max(0, to - from) }, (_, index) =>
    Number((probe + (from + index) * crfStep).toFixed(3)),
  );
}

/** The points that no other one surpasses in score with as few bits; highest bitrate first. */
function envelope(points: readonly LadderProbe[]): readonly LadderProbe[] {
  const kept: LadderProbe[] = [];
  for (const point of [...points].sort((a, b) => a.kbps - b.kbps || b.score - a.score)) {
    const last = kept.at(-1);
    if (last === undefined || point.score > last.score) kept.push(point);
  }
  return kept.reverse();
}

/** The top and the renditions below it, with the smallest steps that keep their number within its limits. */
function renditionsBelow(
  top: LadderProbe,
  points: readonly LadderProbe[],
  limits: LadderLimits,
): readonly LadderProbe[] {
  let pace = 1;
  let chosen = walk(top, points, limits, pace);
  const isWider = chosen.length > limits.maxRenditions;
  for (let turn = 0; turn < maxPaces; turn += 1) {
    const isWithin = isWider ? chosen.length <= limits.maxRenditions : chosen.length >= limits.minRenditions;
    if (isWithin) break;
    pace = isWider ? pace * paceStep : pace / paceStep;
    chosen = walk(top, points, limits, pace);
  }
  const kept = chosen.slice(0, limits.maxRenditions);
  const lowest = kept.at(-1) ?? top;
  if (lowest.kbps <= limits.maxFirstKbps) return kept;
  const slow = points.find(({ kbps, score }) => kbps <= limits.maxFirstKbps && score < lowest.score);
  if (slow === undefined) return kept;
  return [...kept.slice(0, limits.maxRenditions - 1), slow];
}

function walk(
  top: LadderProbe,
  points: readonly LadderProbe[],
  { minKbps, maxFirstKbps, minRatio, maxRatio }: LadderLimits,
  pace: number,
): readonly LadderProbe[] {
  const chosen = [top];
  const ratioStep = Math.min(maxRatio, Math.max(minRatio, step.ratio ** pace));
  for (const point of points) {
    const last = chosen.at(-1) ?? top;
    const [gain, ratio] = [last.score - point.score, last.kbps / point.kbps];
    const isLower = gain >= step.minPoints && point.height <= last.height;
    const leastRatio = Math.min(Math.max(minRatio, step.minRatio), maxRatio);
    const isFar = ratio >= leastRatio && (ratio >= ratioStep || gain >= step.points * pace);
    if (isLower && isFar && point.kbps >= Math.min(minKbps, maxFirstKbps)) chosen.push(point);
  }
  return chosen;
}
