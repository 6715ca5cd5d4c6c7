/** How a bitrate was met: what was asked for, what the encoder was told, what came out, all in Kbps, and how long it lasts. */
export interface BitrateMeasurement {
  readonly targetKbps: number;
  readonly encoderKbps: number;
  readonly measuredKbps: number;
  readonly seconds: number;
  /** `bitrate_cap`: no encoder is told more. Null where there is none. */
  readonly capKbps: number | null;
}

/** A bitrate is met when it is missed by no more than that share of it. */
const tolerance = 0.1;
/** Encoders that miss stay within a half; what falls further short is easy, and has no use for more. */
const minReachedRatio = 0.5;
/** A film this long is missed from below by being easy, never by a rate control that had no time. */
const maxShortClipSeconds = 120;
/** Encoders are told no less and no more than these shares of what was asked for. */
const correctionRange = { min: 0.25, max: 2 } as const;

/** By how much a bitrate is missed, as a share of it. */
export function relativeError({
  targetKbps,
  measuredKbps,
}: Pick<BitrateMeasurement, 'targetKbps' | 'measuredKbps'>): number {
  return Math.abs(measuredKbps / targetKbps - 1);
}

/**
 * The bitrate to tell the encoder instead, in Kbps, where another second pass can bring the file nearer to the one that was asked for;
 * null where it is met, or where that is not worth its time. Too much is corrected at any length: somebody counts on the size. Too
 * little is corrected in clips of up to two minutes that reached half of it: four seconds of testsrc2 at 4000 Kbps came out of x264 with
 * 1039 and two of grey with 6, since there was no more to encode, and a film of an hour falls short for that reason alone. Measured with two
 * seconds of noise at 160x120: Theora gave 521 Kbps of 300 and 1400 of 800, and 327 and 797 after this.
 *
 * `other` is another try, null where there is none yet: what was asked for is sought between two tries that missed it on either
 * side. SVT-AV1 gave 746 Kbps of that noise for 300 and 122 for 121. Pure.
 */
export function computeCorrectedKbps(
  measurement: BitrateMeasurement,
  other: BitrateMeasurement | null = null,
): number | null {
  const { targetKbps, encoderKbps, measuredKbps, seconds, capKbps } = measurement;
  if (!(measuredKbps > 0) || relativeError(measurement) <= tolerance) return null;
  const isBracketed = other !== null && bracketTarget(measurement, other);
  const isBelowTarget = measuredKbps < targetKbps;
  if (
    !isBracketed &&
    isBelowTarget &&
    (measuredKbps < targetKbps * minReachedRatio || seconds > maxShortClipSeconds)
  ) {
    return null;
  }
  const max = Math.min(targetKbps * correctionRange.max, capKbps ?? Number.POSITIVE_INFINITY);
  const idealKbps = isBracketed
    ? interpolateKbps(measurement, other)
    : (encoderKbps * targetKbps) / measuredKbps;
  const next = Math.max(1, Math.round(Math.min(max, Math.max(targetKbps * correctionRange.min, idealKbps))));
  return next === encoderKbps || next === other?.encoderKbps ? null : next;
}

/** Whether what was asked for lies between what two tries gave, and they were told accordingly. */
export function bracketTarget(one: BitrateMeasurement, other: BitrateMeasurement): boolean {
  const [low, high] = one.measuredKbps < other.measuredKbps ? [one, other] : [other, one];
  const { targetKbps } = one;
  return (
    low.measuredKbps < targetKbps && targetKbps < high.measuredKbps && low.encoderKbps < high.encoderKbps
  );
}

/** What is told in between, as if what is found were a power of it. */
function interpolateKbps(one: BitrateMeasurement, other: BitrateMeasurement): number {
  const position =
    Math.log(one.targetKbps / one.measuredKbps) / Math.log(other.measuredKbps / one.measuredKbps);
  return one.encoderKbps * (other.encoderKbps / one.encoderKbps) ** position;
}

/** Whether a correction did so much that one more may help: an encoder at the end of what it can do stays where it is. */
export function isImproved(before: BitrateMeasurement, after: BitrateMeasurement): boolean {
  return relativeError(after) <= relativeError(before) * 0.7;
}
