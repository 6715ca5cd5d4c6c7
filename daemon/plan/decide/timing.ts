import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { Ratio, VideoFacts } from '../../jobs/media.js';
import type { VideoEncoderName } from '../encoders.js';
import type { FrameClock, Thinning, Timing } from './decisions.js';
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
  const requestedRate = settings.frame_rate === undefined ? null : rateOf(settings.frame_rate);
  const maxRate = settings.max_frame_rate === undefined ? null : rateOf(settings.max_frame_rate);
  const divisor = requestedRate === null ? (settings.decimate ?? 1) : 1;
  const needsConstantRate = requestedRate !== null || encoder === 'libtheora';
  if (needsConstantRate)
    return constantRate(capRate(requestedRate ?? dividedRate(frameRate ?? assumedRate, divisor), maxRate));
  if (isFrameRateVariable || frameRate === null) {
    return variableRate({ by: 'fine' }, frameRate, divisor, maxRate);
  }
  if (divisor > 1 || (maxRate !== null && isHigher(frameRate, maxRate))) {
    return constantRate(capRate(dividedRate(frameRate, divisor), maxRate));
  }
  const mayBeUneven = imprecisePtsFormats.has(format);
  if (!mayBeUneven && isOnGrid(firstFrameSeconds, frameRate)) {
    return variableRate({ by: 'frames' }, frameRate, 1, null);
  }
  return variableRate(
    { ...frameFraction(frameRate), mayBeUneven },
    frameRate,
    1,
    mayBeUneven ? maxRate : null,
  );
}

// Matroska's frame rate is a remark: what was repacked from elsewhere bears the average of an uneven rate as if it were even.
const imprecisePtsFormats: ReadonlySet<string> = new Set(['matroska', 'webm']);

// What ffmpeg itself takes for a stream that does not tell.
const assumedRate: Ratio = { numerator: 25, denominator: 1 };

/**
 * Steps of a whole part of a frame. Matroska rounds times to a millisecond: steps of three and more bring even frames back to
 * where they belong, and move uneven ones by less than anybody sees.
 */
function frameFraction({ numerator, denominator }: Ratio): {
  readonly by: 'part-frames';
  readonly step: Ratio;
} {
  const partsPerFrame = Math.max(1, Math.floor((denominator * 1000) / (numerator * 3)));
  return { by: 'part-frames', step: { numerator: denominator, denominator: numerator * partsPerFrame } };
}

/** Whether a moment is that of a whole number of frames, within what nobody notices between sound and picture. */
function isOnGrid(seconds: number, rate: Ratio): boolean {
  const frames = seconds * perSecond(rate);
  return Math.abs(frames - Math.round(frames)) / perSecond(rate) < 0.002;
}

function capRate(rate: Ratio, maxRate: Ratio | null): Ratio {
  return maxRate !== null && isHigher(rate, maxRate) ? maxRate : rate;
}

function constantRate(rate: Ratio): TimingDecision {
  return { timing: { by: 'even-rate', rate }, framesPerSecond: perSecond(rate) };
}

function variableRate(
  clock: FrameClock,
  frameRate: Ratio | null,
  divisor: number,
  maxRate: Ratio | null,
): TimingDecision {
  const thinning: readonly Thinning[] = [
    ...(divisor > 1 ? [{ by: 'count', oneOf: divisor } as const] : []),
    ...(maxRate === null ? [] : [{ by: 'rate', maxRate } as const]),
  ];
  const remainingRate = frameRate === null ? null : perSecond(frameRate) / divisor;
  return {
    timing: { by: 'own-times', clock, thinning },
    framesPerSecond:
      remainingRate === null || maxRate === null
        ? remainingRate
        : Math.min(remainingRate, perSecond(maxRate)),
  };
}
