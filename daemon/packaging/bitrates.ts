import type { Segment } from './segments.js';

/** The rates of a rendition in bits per second: `BANDWIDTH` and `AVERAGE-BANDWIDTH` of a master playlist. */
export interface MeasuredRates {
  readonly peak: number;
  readonly average: number;
}

/** A segment as rates count it. */
type SizedSegment = Pick<Segment, 'durationSeconds' | 'sizeBytes'>;

/**
 * Measures the rates of a rendition. The last segment counts for the peak only if it is longer than half a target,
 * because a short one may contain little else than a keyframe.
 */
export function measureRates(segments: readonly SizedSegment[], targetSeconds: number): MeasuredRates {
  const counted = segments.filter(
    ({ durationSeconds }, index) =>
      index < segments.length - 1 || index === 0 || durationSeconds > targetSeconds / 2,
  );
  const seconds = segments.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0);
  const bytes = segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const average = seconds > 0 ? Math.ceil((bytes * 8) / seconds) : 0;
  // The average includes the last segment, which may have the highest rate.
  const peak = counted.reduce((highest, segment) => Math.max(highest, bitrateOf(segment)), average);
  return { peak: Math.ceil(peak), average };
}

function bitrateOf({ durationSeconds, sizeBytes }: SizedSegment): number {
  return durationSeconds > 0 ? (sizeBytes * 8) / durationSeconds : 0;
}
