import type { Ratio, VideoFacts } from '../jobs/media.js';
import { type ProbeObject, ratioAt } from './probe-fields.js';

/** What is known of a stream's frame rate. */
export type FrameRateFacts = Pick<VideoFacts, 'frameRate' | 'isFrameRateVariable'>;

// Beyond this it is a time base that was taken for a rate: 1000/1 in ASF and FLV, 90000/1 in MPEG.
const maxFrameRate = 500;
// Times rounded to milliseconds move the average by less than this; a dropped frame in a thousand moves it by more.
const tolerance = 0.001;

const perSecond = (rate: Ratio) => rate.numerator / rate.denominator;
const isNear = (value: number, other: number) => Math.abs(value - other) <= other * tolerance;

function plausibleRate(rate: Ratio | null): Ratio | null {
  return rate !== null && perSecond(rate) <= maxFrameRate ? rate : null;
}

/**
 * Frame rate out of ffprobe's two: `avg_frame_rate`, which counts, and `r_frame_rate`, the least rate that all times fit
 * into. Where they agree the second is the exact one (30000/1001); where they do not, times are uneven. A stream of fields has
 * the second at double the first. In doubt a rate counts as variable, since keeping times does no harm to even ones.
 */
export function readFrameRate(stream: ProbeObject, isInterlaced: boolean): FrameRateFacts {
  const average = plausibleRate(ratioAt(stream, 'avg_frame_rate'));
  const representable = ratioAt(stream, 'r_frame_rate');
  if (average === null) return { frameRate: plausibleRate(representable), isFrameRateVariable: false };
  if (representable === null) return { frameRate: average, isFrameRateVariable: false };
  if (isNear(perSecond(average), perSecond(representable)))
    return { frameRate: representable, isFrameRateVariable: false };
  const isHalf = isInterlaced && isNear(perSecond(average) * 2, perSecond(representable));
  return { frameRate: average, isFrameRateVariable: !isHalf };
}
