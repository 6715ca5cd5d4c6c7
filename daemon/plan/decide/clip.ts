import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { testModeSeconds } from '../../../src/shared/settings/limits.js';
import type { JobFailure } from '../../jobs/job-failure.js';
import type { AudioFacts, MediaFacts, VideoFacts } from '../../jobs/media.js';
import type { Clip } from './decisions.js';

/** Formats that know where their keyframes are, so that reading can begin at the one before the clip. */
export const indexedFormats: ReadonlySet<string> = new Set([
  ...['mpeg4', 'matroska', 'webm', 'avi', 'asf', 'flv', 'ogg', 'nut'],
]);

/** Bare streams, which know no times: nothing in them can be sought, and they are read from their beginning. */
const elementaryStreamFormats: ReadonlySet<string> = new Set([
  ...['h261', 'h263', 'h264', 'hevc', 'mpeg4-es', 'mpegvideo', 'vc1', 'mjpeg'],
]);

/**
 * In the others, MPEG's streams above all, ffmpeg seeks to any frame and shows grey or nothing up to the next keyframe. So it
 * reads from this much earlier and throws away what comes before the clip. Streams that one can tune into have a keyframe
 * every few seconds; encoders put one every 250 frames by themselves.
 */
const prerollSeconds = 12;

/** How far from a frame, in frames, still counts as on it. */
const frameTolerance = 0.001;

/**
 * Which part of the input is encoded (`start_clip`, `clip_length`; section 4.1 Advanced). A length beyond the end stops there,
 * a start beyond it is a fault. Test mode leaves 5 seconds after the start (section 8).
 */
export function decideClip(
  settings: OutputSettings,
  isTest: boolean,
  media: MediaFacts,
  frameAtStart: number | null = null,
): { readonly clip: Clip } | { readonly failure: JobFailure } {
  const requestedSeconds = settings.start_clip ?? 0;
  const { durationSeconds } = media;
  if (durationSeconds !== null && requestedSeconds > 0 && requestedSeconds >= durationSeconds) {
    return {
      failure: {
        errorClass: 'InvalidVideoSettingsError',
        message: beyondEnd(requestedSeconds, durationSeconds),
      },
    };
  }
  const startsInFrame = frameAtStart !== null && frameAtStart < requestedSeconds - roundingSeconds;
  const startSeconds =
    startsInFrame || settings.skip_video === true ? requestedSeconds : alignToFrame(requestedSeconds, media);
  // A little earlier, since a frame that begins before the place that is sought is thrown away.
  const firstSeconds = startsInFrame ? Math.max(0, frameAtStart - roundingSeconds) : startSeconds;
  const readFromSeconds = seekPosition(firstSeconds, media.format);
  const lengthSeconds = minOrNull(settings.clip_length ?? null, isTest ? testModeSeconds : null);
  const remainingSeconds = durationSeconds === null ? null : durationSeconds - startSeconds;
  return {
    clip: {
      startSeconds,
      readFromSeconds,
      startsInFrame,
      lengthSeconds,
      expectedSeconds: minOrNull(lengthSeconds, remainingSeconds),
    },
  };
}

/** Below this many frames a second, a clip that starts with the next frame would miss what is on screen for too long. */
const slowFramesPerSecond = 10;
/** Times in files are rounded to a millisecond at most. */
const roundingSeconds = 0.001;

/** Whether it has to be known which frame is on screen where the clip starts: where frames may stay for long. */
export function mayStartInFrame(settings: OutputSettings, { video, format }: MediaFacts): boolean {
  if (video === null || settings.skip_video === true || (settings.start_clip ?? 0) === 0) return false;
  const rate = video.frameRate;
  const isSlow = rate === null || rate.numerator < rate.denominator * slowFramesPerSecond;
  return (isSlow || video.isFrameRateVariable) && !elementaryStreamFormats.has(format);
}

/** Whether a stream of the input has anything in the clip; in doubt it has. */
export function extendsIntoClip(
  stream: Pick<VideoFacts | AudioFacts, 'durationSeconds' | 'startSeconds'>,
  clip: Clip,
  media: MediaFacts,
): boolean {
  if (clip.startSeconds === 0 || stream.durationSeconds === null) return true;
  return startWithin(stream.startSeconds, media) + stream.durationSeconds > clip.startSeconds;
}

/** Seconds from the beginning of the input to that of a stream. Times in a file need not begin at 0. */
export function startWithin(startSeconds: number | null, { video, audio }: MediaFacts): number {
  if (startSeconds === null) return 0;
  const starts = [video?.startSeconds, audio?.startSeconds].filter((start) => typeof start === 'number');
  return Math.max(0, startSeconds - Math.min(...starts, startSeconds));
}

/**
 * The moment of the first frame that is not before the one asked for. From anywhere in between, the first frame comes late by up to one
 * frame: the encoder's clock ticks in frames, so that rounds up to a gap, and the last frame falls off the end.
 */
function alignToFrame(requestedSeconds: number, media: MediaFacts): number {
  const rate = media.video?.frameRate ?? null;
  if (requestedSeconds === 0 || media.video === null || rate === null || media.video.isFrameRateVariable) {
    return requestedSeconds;
  }
  const framesPerSecond = rate.numerator / rate.denominator;
  const firstSeconds = startWithin(media.video.startSeconds, media);
  const frames = (requestedSeconds - firstSeconds) * framesPerSecond;
  if (frames < 0 || Math.abs(frames - Math.round(frames)) < frameTolerance) return requestedSeconds;
  // Rounded down, since a moment behind the frame would miss it.
  return Math.floor((firstSeconds + Math.ceil(frames) / framesPerSecond) * 1e6) / 1e6;
}

function seekPosition(startSeconds: number, format: string): number {
  if (indexedFormats.has(format)) return startSeconds;
  return elementaryStreamFormats.has(format) ? 0 : Math.max(0, startSeconds - prerollSeconds);
}

function minOrNull(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}

function beyondEnd(startSeconds: number, durationSeconds: number): string {
  return `start_clip is ${startSeconds} seconds, but the input ends after ${Math.round(durationSeconds * 1000) / 1000}.`;
}
