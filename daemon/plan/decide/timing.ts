import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { MediaFacts, Ratio, VideoFacts } from '../../jobs/media.js';
import type { VideoEncoderName } from '../encoders.js';
import { startWithin } from './clip.js';
import type { Decision, FrameClock, LastFrame, Thinning, Timing } from './decisions.js';

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

/** The rates of television that are a thousandth below a whole number: what 23.976, 29.97 and 59.94 are short for. */
const broadcastRates = [12, 15, 24, 30, 48, 60, 120, 240] as const;
/** How far a written rate may be from one of those: 23.98 is meant for 23.976. */
const broadcastTolerance = 0.0045;
/** Other rates are kept to this part of a frame a second. */
const finestTimeBase = 100_000;

/** A frame rate that was given as a number, as the fraction it stands for: 29.97 is 30000/1001, 12.5 is 25/2. */
export function rateOf(framesPerSecond: number): Ratio {
  if (Number.isInteger(framesPerSecond)) return { numerator: framesPerSecond, denominator: 1 };
  const wholeRate = broadcastRates.find(
    (rate) => Math.abs((rate * 1000) / 1001 - framesPerSecond) < broadcastTolerance,
  );
  if (wholeRate !== undefined) return { numerator: wholeRate * 1000, denominator: 1001 };
  return reduced({ numerator: Math.round(framesPerSecond * finestTimeBase), denominator: finestTimeBase });
}

/** A frame rate divided by a number. */
export function dividedRate({ numerator, denominator }: Ratio, divisor: number): Ratio {
  if (divisor === 1) return { numerator, denominator };
  if (Number.isInteger(divisor)) return reduced({ numerator, denominator: denominator * divisor });
  return reduced({ numerator: numerator * 1000, denominator: denominator * Math.round(divisor * 1000) });
}

/** Whether a rate is above another by more than what writing it down costs. */
export function isHigher(rate: Ratio, b: Ratio): boolean {
  return perSecond(rate) > perSecond(b) * 1.000_01;
}

/** Frames a second. */
export function perSecond({ numerator, denominator }: Ratio): number {
  return numerator / denominator;
}

function reduced({ numerator, denominator }: Ratio): Ratio {
  const common = greatestCommonDivisor(numerator, denominator);
  return { numerator: numerator / common, denominator: denominator / common };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/**
 * When the last of uneven frames ends. ffmpeg takes the gap before it for its length, so that a silent show of pictures whose last one
 * stays would be cut short by most of that. Told only where all frames of an input are made, and both files count them:
 * of an input that was itself cut short the last frame would otherwise stay where the rest should be. Sound tells the
 * length of a film by itself, and players show the last frame for as long. A clip of a film whose frames stay for long may end within the last one,
 * which by itself would stay beyond the clip.
 */
export function decideLastFrame(
  { clip, video, audio, container }: Omit<Decision, 'lastFrame'>,
  media: MediaFacts,
): LastFrame | null {
  const { video: inputVideo } = media;
  if (video === null || inputVideo === null || container.hasIndex !== true) return null;
  const { timing } = video;
  const isCutByLength = clip.lengthSeconds !== null || audio === null;
  if (clip.startsInFrame && isCutByLength && timing.by === 'own-times' && clip.expectedSeconds !== null) {
    return { endSeconds: clip.expectedSeconds, frames: null };
  }
  if (audio !== null) return null;
  const isUneven = timing.by === 'own-times' && timing.clock.by === 'fine' && timing.thinning.length === 0;
  const { frameCount = 0, durationSeconds } = inputVideo;
  if (!isUneven || frameCount === 0 || durationSeconds === null || media.format !== 'mpeg4') return null;
  const endSeconds = startWithin(inputVideo.startSeconds, media) + durationSeconds;
  const isComplete =
    clip.startSeconds === 0 && (clip.lengthSeconds === null || clip.lengthSeconds >= endSeconds);
  return isComplete ? { endSeconds, frames: frameCount } : null;
}
