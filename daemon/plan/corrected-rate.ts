/**
 * The result of encoding at a bitrate: the target, the bitrate given to the encoder, the measured bitrate (all in
 * Kbps), and the duration.
 */
export interface BitrateMeasurement {
  readonly targetKbps: number;
  readonly encoderKbps: number;
  readonly measuredKbps: number;
  readonly seconds: number;
  /** The cap of the bitrate, requested or of the level: the encoder is never given more. Null if there is none. */
  readonly capKbps: number | null;
  /** Set if the target follows from the size of the file: the relative error that still meets it. */
  readonly sizeTolerance?: number;
}

/** A bitrate is met if its relative error is at most this. */
const rateTolerance = 0.1;
/** Encoders that miss a target still reach half of it. Content below that is easy to encode and needs no more bits. */
const minReachedRatio = 0.5;
/** A longer video falls short only because it is easy to encode, not because the rate control had too little time. */
const maxShortClipSeconds = 120;
/** The bitrate given to the encoder stays within these multiples of the target. */
const correctionRange = { min: 0.25, max: 2 } as const;

/** The relative error of the measured bitrate. A file that is too large is worse than any that is too small. */
export function relativeError({
  targetKbps,
  measuredKbps,
  sizeTolerance,
}: Pick<BitrateMeasurement, 'targetKbps' | 'measuredKbps' | 'sizeTolerance'>): number {
  const error = measuredKbps / targetKbps - 1;
  return sizeTolerance !== undefined && error > sizeTolerance ? 1 + error : Math.abs(error);
}

/** The target of the video with which a file of this size gets just below `targetBytes`. Pure. */
export function rateForSize(
  targetBytes: number,
  fileBytes: number,
  { kbps, seconds }: { readonly kbps: number; readonly seconds: number },
): Pick<BitrateMeasurement, 'targetKbps'> & { readonly sizeTolerance: number } {
  const otherBytes = fileBytes - kbps * 125 * seconds;
  const videoBytes = Math.max(1, targetBytes * (1 - sizeMargin) - otherBytes);
  return { targetKbps: videoBytes / 125 / seconds, sizeTolerance: (targetBytes * sizeMargin) / videoBytes };
}

/** A file may be this much smaller or larger than the middle of the sizes that are accepted, 98 to 100 %. */
const sizeMargin = 0.01;

/**
 * The bitrate in Kbps for another second pass. Null if the target is met or if another pass is not expected to get
 * closer.
 *
 * A bitrate that is too high is corrected at any duration, because users rely on the file size. One that is too low is
 * corrected only in clips of up to two minutes that reached half of the target: four seconds of testsrc2 at 4000 Kbps
 * came out of x264 with 1039 Kbps and two seconds of grey with 6, because there was no more to encode, and an hour of
 * video falls short only for that reason. Measured with two seconds of noise at 160x120: Theora gave 521 Kbps for 300
 * and 1400 for 800, and 327 and 797 after the correction.
 *
 * `other` is an earlier attempt, null if there is none. If one attempt is above the target and the other below, the
 * result is interpolated between them: SVT-AV1 gave 746 Kbps of that noise for 300, and 122 for 121. Pure.
 */
export function computeCorrectedKbps(
  measurement: BitrateMeasurement,
  other: BitrateMeasurement | null = null,
): number | null {
  const { targetKbps, encoderKbps, measuredKbps, seconds, capKbps, sizeTolerance } = measurement;
  if (!(measuredKbps > 0) || relativeError(measurement) <= (sizeTolerance ?? rateTolerance)) return null;
  const isBracketed = other !== null && bracketTarget(measurement, other);
  const isBelowTarget = measuredKbps < targetKbps;
  const isLong = seconds > maxShortClipSeconds && sizeTolerance === undefined;
  if (!isBracketed && isBelowTarget && (measuredKbps < targetKbps * minReachedRatio || isLong)) return null;
  const max = Math.min(targetKbps * correctionRange.max, capKbps ?? Number.POSITIVE_INFINITY);
  const idealKbps = isBracketed
    ? interpolateKbps(measurement, other)
    : (encoderKbps * targetKbps) / measuredKbps;
  // A whole kilobit can be several percent of a small file.
  const steps = sizeTolerance === undefined ? 1 : 10;
  const limited = Math.min(max, Math.max(targetKbps * correctionRange.min, idealKbps));
  const next = Math.max(1, Math.round(limited * steps) / steps);
  return next === encoderKbps || next === other?.encoderKbps ? null : next;
}

/**
 * Whether the target lies between the results of two attempts, and the higher result had the higher encoder bitrate.
 */
export function bracketTarget(one: BitrateMeasurement, other: BitrateMeasurement): boolean {
  const [low, high] = one.measuredKbps < other.measuredKbps ? [one, other] : [other, one];
  const { targetKbps } = one;
  return (
    low.measuredKbps < targetKbps && targetKbps < high.measuredKbps && low.encoderKbps < high.encoderKbps
  );
}

/** Interpolates the encoder bitrate, assuming that the measured bitrate is a power of it. */
function interpolateKbps(one: BitrateMeasurement, other: BitrateMeasurement): number {
  const position =
    Math.log(one.targetKbps / one.measuredKbps) / Math.log(other.measuredKbps / one.measuredKbps);
  return one.encoderKbps * (other.encoderKbps / one.encoderKbps) ** position;
}

/** Whether a correction reduced the error enough to try again: an encoder at its limit no longer changes. */
export function isImproved(before: BitrateMeasurement, after: BitrateMeasurement): boolean {
  return relativeError(after) <= relativeError(before) * 0.7;
}
