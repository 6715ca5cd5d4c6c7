import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { Ratio, VideoFacts } from '../../jobs/media.js';
import type { VideoEncoderName } from '../encoders.js';
import type { Clock, Thinning, Timing } from './decisions.js';
import { dividedRate, isHigher, perSecond, rateOf } from './frame-rate.js';

/** The settings that the times of frames are made of (section 4.1 Advanced). */
export type TimingSettings = Pick<OutputSettings, 'frame_rate' | 'decimate' | 'max_frame_rate'>;

/** Where the frames come from. */
export interface TimingSource {
  /** Format of the input. */
  readonly format: string;
  /** How long after the beginning of the output the first frame is shown: more than 0 where the sound begins before the picture. */
  readonly firstFrameSeconds: number;
}

/** When the frames of an output are shown, and how many there are of them. */
export interface TimingDecision {
  readonly timing: Timing;
  /** Frames a second, about; null where the input does not tell. */
  readonly framesPerSecond: number | null;
}

/**
 * Frames keep their own times wherever the file can tell them: variable rates stay variable, and no frame is doubled. Theora
 * counts frames instead of timing them, so there they come at an even rate.
 *
 * `frame_rate` makes any rate an even one. Without it `decimate` divides the input's own. `max_frame_rate` comes last. An even
 * rate that is lowered is an even one again; of an uneven one frames are left out, and those that stay keep their times.
 */
export function decideTiming(
  settings: TimingSettings,
  video: VideoFacts,
  encoder: VideoEncoderName,
  { format, firstFrameSeconds }: TimingSource,
): TimingDecision {
  const { frameRate, isFrameRateVariable } = video;
  const asked = settings.frame_rate === undefined ? null : rateOf(settings.frame_rate);
  const most = settings.max_frame_rate === undefined ? null : rateOf(settings.max_frame_rate);
  const divisor = asked === null ? (settings.decimate ?? 1) : 1;
  const mustBeEven = asked !== null || encoder === 'libtheora';
  if (mustBeEven) return even(lowered(asked ?? dividedRate(frameRate ?? unknownRate, divisor), most));
  if (isFrameRateVariable || frameRate === null) {
    return thinned({ by: 'fine' }, frameRate, divisor, most);
  }
  if (divisor > 1 || (most !== null && isHigher(frameRate, most))) {
    return even(lowered(dividedRate(frameRate, divisor), most));
  }
  const mayBeUneven = looseFormats.has(format);
  if (!mayBeUneven && isOnGrid(firstFrameSeconds, frameRate)) {
    return thinned({ by: 'frames' }, frameRate, 1, null);
  }
  return thinned({ ...partFrames(frameRate), mayBeUneven }, frameRate, 1, mayBeUneven ? most : null);
}

// Matroska's frame rate is a remark: what was repacked from elsewhere bears the average of an uneven rate as if it were even.
const looseFormats: ReadonlySet<string> = new Set(['matroska', 'webm']);

// What ffmpeg itself takes for a stream that does not tell.
const unknownRate: Ratio = { numerator: 25, denominator: 1 };

/**
 * Steps of a whole part of a frame. Matroska rounds times to a millisecond: steps of three and more bring even frames back to
 * where they belong, and move uneven ones by less than anybody sees.
 */
function partFrames({ numerator, denominator }: Ratio): { readonly by: 'part-frames'; readonly step: Ratio } {
  const parts = Math.max(1, Math.floor((denominator * 1000) / (numerator * 3)));
  return { by: 'part-frames', step: { numerator: denominator, denominator: numerator * parts } };
}

/** Whether a moment is that of a whole number of frames, within what nobody notices between sound and picture. */
function isOnGrid(seconds: number, rate: Ratio): boolean {
  const frames = seconds * perSecond(rate);
  return Math.abs(frames - Math.round(frames)) / perSecond(rate) < 0.002;
}

function lowered(rate: Ratio, most: Ratio | null): Ratio {
  return most !== null && isHigher(rate, most) ? most : rate;
}

function even(rate: Ratio): TimingDecision {
  return { timing: { by: 'even-rate', rate }, framesPerSecond: perSecond(rate) };
}

function thinned(clock: Clock, frameRate: Ratio | null, divisor: number, most: Ratio | null): TimingDecision {
  const thinning: readonly Thinning[] = [
    ...(divisor > 1 ? [{ by: 'count', oneOf: divisor } as const] : []),
    ...(most === null ? [] : [{ by: 'rate', most } as const]),
  ];
  const left = frameRate === null ? null : perSecond(frameRate) / divisor;
  return {
    timing: { by: 'own-times', clock, thinning },
    framesPerSecond: left === null || most === null ? left : Math.min(left, perSecond(most)),
  };
}
