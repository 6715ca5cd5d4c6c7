import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { MediaFacts, Ratio, VideoFacts } from '../../jobs/media.js';
import { type VideoEncoder, type VideoEncoderName, videoEncoders } from '../encoders.js';
import type { Capabilities } from '../plan-types.js';
import { endTimeFormats, startWithin } from './clip.js';
import type { DraftDecision, FrameClock, FrameDropRule, HeldFrame, LastFrame, Timing } from './decisions.js';

/** The settings that decide the timing of frames (section 4.1 Advanced). */
type TimingSettings = Pick<OutputSettings, 'frame_rate' | 'decimate' | 'min_frame_rate' | 'max_frame_rate'>;

/** The source of the frames. */
export interface TimingSource {
  /** Format of the input. */
  readonly format: string;
  /**
   * When the first frame is displayed, in seconds after the start of the output: above 0 if the audio starts before the
   * video.
   */
  readonly firstFrameSeconds: number;
}

/** When the frames of an output are displayed, and at what rate. */
export interface TimingDecision {
  readonly timing: Timing;
  /** Approximate frames per second; null if unknown. */
  readonly framesPerSecond: number | null;
}

/**
 * Decides the timing of frames. Frames keep their timestamps if the codec supports it: variable rates stay variable,
 * and no frame is duplicated. Theora counts frames instead of storing timestamps, and the clocks of MPEG-4 part 2 and
 * WMV are coarse, so these get a constant rate.
 *
 * `frame_rate` converts any rate to a constant one. Without it, `decimate` divides the rate of the input.
 * `min_frame_rate` follows: a lower rate becomes this one, and is constant then. `max_frame_rate` is applied last. A
 * constant rate that is lowered stays constant. From a variable rate, frames are dropped, and the others keep their
 * timestamps.
 */
export function decideTiming(
  settings: TimingSettings,
  video: VideoFacts,
  encoder: VideoEncoderName,
  { format, firstFrameSeconds }: TimingSource,
): TimingDecision {
  const { frameRate, hasRoundedTimes = false } = video;
  const isVariable = isFrameRateUnproven(video, format);
  const requestedRate = settings.frame_rate === undefined ? null : rateOf(settings.frame_rate);
  const maxRate = settings.max_frame_rate === undefined ? null : rateOf(settings.max_frame_rate);
  const divisor = requestedRate === null ? (settings.decimate ?? 1) : 1;
  const { maxTimeBase }: VideoEncoder = videoEncoders[encoder];
  const needsConstantRate = requestedRate !== null || encoder === 'libtheora' || maxTimeBase !== undefined;
  const minRate = settings.min_frame_rate === undefined ? null : rateOf(settings.min_frame_rate);
  const dividedInput = dividedRate(frameRate ?? assumedRate, divisor);
  if (needsConstantRate) {
    const rate = capRate(raiseRate(requestedRate ?? dividedInput, minRate), maxRate);
    return onGrid(constantRate(withinTimeBase(rate, maxTimeBase)));
  }
  if (frameRate !== null && minRate !== null && isHigher(minRate, dividedInput))
    return onGrid(constantRate(capRate(minRate, maxRate)));
  if (isVariable || frameRate === null) {
    return variableRate({ by: 'fine' }, frameRate, divisor, maxRate);
  }
  if (divisor > 1 || (maxRate !== null && isHigher(frameRate, maxRate))) {
    return onGrid(constantRate(capRate(dividedRate(frameRate, divisor), maxRate)));
  }
  if (isOnGrid(firstFrameSeconds, frameRate))
    return onGrid(variableRate({ by: 'frames' }, frameRate, 1, null));
  const { timing, framesPerSecond } = variableRate(
    { by: 'frame-fractions', step: frameFraction(frameRate) },
    frameRate,
    1,
    null,
  );
  return { timing: { ...timing, gridRate: frameRate }, framesPerSecond };

  function onGrid(decision: TimingDecision): TimingDecision {
    if (!hasRoundedTimes || frameRate === null) return decision;
    return { ...decision, timing: { ...decision.timing, gridRate: frameRate } };
  }
}

/**
 * Containers that store times in milliseconds, and a frame rate that only informs: files remuxed from other formats
 * store the average of a variable rate as if it were constant, and ffprobe reads only the first seconds.
 */
const millisecondFormats: ReadonlySet<string> = new Set(['matroska', 'webm', 'flv', 'asf']);

/**
 * Whether the times of all frames have to be read to know the frame rate: in the formats above, and in others whose
 * rate seems variable, such as MP4 that was copied from them.
 */
export function isFrameRateUnproven(
  { isFrameRateVariable, hasRoundedTimes }: Pick<VideoFacts, 'isFrameRateVariable' | 'hasRoundedTimes'>,
  format: string,
): boolean {
  return isFrameRateVariable || (millisecondFormats.has(format) && hasRoundedTimes !== true);
}

/**
 * The number of parts of a frame in which rounded times are compared, each about a millisecond. An odd number, so that
 * no frame starts in the middle between two whole frames, from where rounding goes either way.
 */
export function partsPerFrame(rate: Ratio): number {
  return Math.max(8, Math.floor(1000 / perSecond(rate))) | 1;
}

// The rate that ffmpeg assumes if a stream has none.
const assumedRate: Ratio = { numerator: 25, denominator: 1 };

/** A part of a frame, in seconds. */
export function frameFraction(rate: Ratio): Ratio {
  return { numerator: rate.denominator, denominator: rate.numerator * partsPerFrame(rate) };
}

/** Whether a time is that of a whole number of frames, within an unnoticeable offset between audio and video. */
function isOnGrid(seconds: number, rate: Ratio): boolean {
  const frames = seconds * perSecond(rate);
  const offBy = Math.abs(frames - Math.round(frames));
  return offBy < 1 / 8 && offBy / perSecond(rate) < 0.002;
}

function capRate(rate: Ratio, maxRate: Ratio | null): Ratio {
  return maxRate !== null && isHigher(rate, maxRate) ? maxRate : rate;
}

/** The rate as a fraction whose numerator is at most `max`: MPEG-4 part 2 stores it in 16 bits. */
function withinTimeBase(rate: Ratio, max = Number.POSITIVE_INFINITY): Ratio {
  return rate.numerator <= max ? rate : { numerator: Math.round(perSecond(rate) * 100), denominator: 100 };
}

function raiseRate(rate: Ratio, minRate: Ratio | null): Ratio {
  return minRate !== null && isHigher(minRate, rate) ? minRate : rate;
}

function constantRate(rate: Ratio): TimingDecision {
  return { timing: { by: 'constant-rate', rate }, framesPerSecond: perSecond(rate) };
}

function variableRate(
  clock: FrameClock,
  frameRate: Ratio | null,
  divisor: number,
  maxRate: Ratio | null,
): TimingDecision {
  const dropRules: readonly FrameDropRule[] = [
    ...(divisor > 1 ? [{ by: 'count', oneOf: divisor } as const] : []),
    ...(maxRate === null ? [] : [{ by: 'rate', maxRate } as const]),
  ];
  const remainingRate = frameRate === null ? null : perSecond(frameRate) / divisor;
  return {
    timing: { by: 'source-timestamps', clock, dropRules },
    framesPerSecond:
      remainingRate === null || maxRate === null
        ? remainingRate
        : Math.min(remainingRate, perSecond(maxRate)),
  };
}

/**
 * The whole numbers of the broadcast rates that are lower by a factor of 1000/1001: 23.976, 29.97 and 59.94 are their
 * short forms.
 */
const broadcastRates = [12, 15, 24, 30, 48, 60, 120, 240] as const;
/** Tolerance for a broadcast rate: 23.98 means 23.976. */
const broadcastTolerance = 0.0045;
/** Other rates are rounded to this fraction of a frame per second. */
const finestTimeBase = 100_000;

/** Converts a decimal frame rate to the fraction that it means: 29.97 is 30000/1001, 12.5 is 25/2. */
export function rateOf(framesPerSecond: number): Ratio {
  if (Number.isInteger(framesPerSecond)) return { numerator: framesPerSecond, denominator: 1 };
  const wholeRate = broadcastRates.find(
    (rate) => Math.abs((rate * 1000) / 1001 - framesPerSecond) < broadcastTolerance,
  );
  if (wholeRate !== undefined) return { numerator: wholeRate * 1000, denominator: 1001 };
  return reduced({ numerator: Math.round(framesPerSecond * finestTimeBase), denominator: finestTimeBase });
}

/** A frame rate divided by a number. */
function dividedRate({ numerator, denominator }: Ratio, divisor: number): Ratio {
  if (divisor === 1) return { numerator, denominator };
  if (Number.isInteger(divisor)) return reduced({ numerator, denominator: denominator * divisor });
  return reduced({ numerator: numerator * 1000, denominator: denominator * Math.round(divisor * 1000) });
}

/** Whether a rate is higher than another by more than rounding. */
export function isHigher(a: Ratio, b: Ratio): boolean {
  return perSecond(a) > perSecond(b) * 1.000_01;
}

/** Frames per second. */
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
 * Decides when the last of unevenly spaced frames ends. ffmpeg uses the gap before the last frame as its duration, so a
 * silent slide show whose last image is displayed for long would be cut short. Set only if all frames of the input are
 * encoded and it was measured when the last one ends: if the input is truncated, the last frame must not replace the
 * missing part. With audio, the audio decides the duration, and players display the last frame until its end. A clip
 * may end within a frame that is displayed for long, which would otherwise extend beyond the clip.
 */
export function decideLastFrame(
  { clip, video, audio, container }: DraftDecision,
  media: MediaFacts,
): LastFrame | null {
  const { video: inputVideo } = media;
  if (video === null || inputVideo === null || container.hasIndex !== true) return null;
  const { timing } = video;
  const isCutByLength = clip.lengthSeconds !== null || audio.length === 0;
  if (
    clip.startsInFrame &&
    isCutByLength &&
    timing.by === 'source-timestamps' &&
    clip.expectedSeconds !== null
  ) {
    return { endSeconds: clip.expectedSeconds, frames: null };
  }
  if (audio.length > 0 || media.wholeSeconds !== undefined) return null;
  if (timing.by !== 'source-timestamps' || timing.dropRules.length > 0) return null;
  const { frameCount = 0, lastFrame } = inputVideo;
  if (lastFrame === undefined || timing.clock.by !== 'fine') return null;
  const endSeconds = lastFrame.endSeconds - (inputVideo.startSeconds ?? 0);
  const isComplete =
    clip.startSeconds === 0 && (clip.lengthSeconds === null || clip.lengthSeconds >= endSeconds);
  const frames = video.isFramePerField ? 2 * frameCount : frameCount;
  return isComplete ? { endSeconds, frames: frameCount === 0 ? null : frames } : null;
}

/** A frame that is displayed for longer than this many frames of an even rate is held. */
const maxEvenFrames = 1.5;

/** Whether the last frame of a video is displayed for longer than the others, so that their durations are uneven. */
export function isLastFrameHeld({ lastFrame, frameRate }: VideoFacts): boolean {
  if (lastFrame === undefined || frameRate === null) return false;
  return (lastFrame.endSeconds - lastFrame.startSeconds) * perSecond(frameRate) > maxEvenFrames;
}

/**
 * ffmpeg of 2018 and 7.0 display the last frame for one tick. So that little is missing, its repetitions are that
 * short.
 */
const shortFrameSeconds = 0.01;

/**
 * Decides whether the last frame is repeated until it ends: if it is displayed for longer than the others, and neither
 * the file nor the audio says for how long.
 */
export function decideHeldFrame(
  decision: DraftDecision,
  media: MediaFacts,
  { hasFpsMode }: Capabilities,
): HeldFrame | null {
  const { clip, video, audio } = decision;
  const { lastFrame, frameRate = null, startSeconds: videoStart = null } = media.video ?? {};
  if (video === null || media.video === null || lastFrame === undefined || frameRate === null) return null;
  if (!isLastFrameHeld(media.video) || media.wholeSeconds !== undefined) return null;
  if (hasFpsMode && decideLastFrame(decision, media) !== null) return null;
  const fileStart = (videoStart ?? 0) - startWithin(videoStart, media);
  const clipStart = fileStart + clip.startSeconds;
  const startSeconds = Math.max(0, lastFrame.startSeconds - clipStart);
  const endSeconds = Math.min(
    lastFrame.endSeconds - clipStart,
    clip.lengthSeconds ?? Number.POSITIVE_INFINITY,
  );
  const evenSeconds = 1 / (video.framesPerSecond ?? perSecond(frameRate));
  const audioEnd = audio.length > 0 ? audioEndOf(media) - clipStart : 0;
  if (endSeconds - Math.max(startSeconds, audioEnd) < maxEvenFrames * evenSeconds) return null;
  const isLimited = video.timing.by === 'source-timestamps' && video.timing.dropRules.length > 0;
  const repeatedSeconds = isLimited ? evenSeconds : Math.min(shortFrameSeconds, evenSeconds);
  const frameSeconds = Math.min(repeatedSeconds, (endSeconds - startSeconds) / 3);
  return { startSeconds, endSeconds, frameSeconds };
}

/** When the audio ends, in seconds of the file's timestamps. */
function audioEndOf({ audio, format }: MediaFacts): number {
  if (audio === null) return 0;
  const { startSeconds, durationSeconds } = audio;
  if (durationSeconds === null) return Number.POSITIVE_INFINITY;
  return endTimeFormats.has(format) ? durationSeconds : (startSeconds ?? 0) + durationSeconds;
}
