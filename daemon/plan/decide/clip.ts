import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { testModeSeconds } from '../../../src/shared/settings/limits.js';
import type { JobFailure } from '../../jobs/job.js';
import type { AudioFacts, MediaFacts, VideoFacts } from '../../jobs/media.js';
import type { Clip } from './decisions.js';

/** Formats with an index of keyframes, so that reading can start at the keyframe before the clip. */
export const indexedFormats: ReadonlySet<string> = new Set([
  ...['mpeg4', 'matroska', 'webm', 'avi', 'asf', 'flv', 'ogg', 'nut'],
]);

/** Elementary streams. They have no timestamps, so seeking is impossible and they are read from the start. */
export const elementaryStreamFormats: ReadonlySet<string> = new Set([
  ...['h261', 'h263', 'h264', 'hevc', 'mpeg4-es', 'mpegvideo', 'vc1', 'mjpeg'],
]);

/**
 * In other formats, MPEG streams above all, ffmpeg seeks to any frame and shows grey or nothing until the next
 * keyframe. So reading starts this much earlier, and the frames before the clip are dropped. Broadcast streams have a
 * keyframe every few seconds; by default encoders insert one every 250 frames.
 */
const prerollSeconds = 12;

/** Tolerance in frames for a time to match that of a frame. */
const frameTolerance = 0.001;

/**
 * Decides which part of the input is encoded (`start_clip`, `clip_length`; section 4.1 Advanced). A length beyond the
 * end is cut there. A start beyond the end is an error. Test mode keeps 5 seconds after the start (section 8).
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
  // Slightly earlier, because ffmpeg drops a frame that starts before the seek position.
  const firstSeconds = startsInFrame ? Math.max(0, frameAtStart - roundingSeconds) : startSeconds;
  // A seek leads to a keyframe of the video, and would pass over audio before the first one.
  const isBeforeVideo = media.video !== null && firstSeconds < startWithin(media.video.startSeconds, media);
  const readFromSeconds =
    media.isJoined === true || isBeforeVideo ? 0 : seekPosition(firstSeconds, media.format);
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

/** Below this rate, a clip that starts with the next frame would omit the displayed frame for too long. */
const slowFramesPerSecond = 10;
/** Times in files are rounded to a millisecond or finer. */
const roundingSeconds = 0.001;

/**
 * Whether the frame that is displayed at the start of the clip must be found: true if frames may be displayed for long.
 */
export function mayStartInFrame(settings: OutputSettings, { video, format }: MediaFacts): boolean {
  if (video === null || settings.skip_video === true || (settings.start_clip ?? 0) === 0) return false;
  const rate = video.frameRate;
  const isSlow = rate === null || rate.numerator < rate.denominator * slowFramesPerSecond;
  return (isSlow || video.isFrameRateVariable) && !elementaryStreamFormats.has(format);
}

/** Whether a stream of the input extends into the clip; true if unknown. */
export function extendsIntoClip(
  stream: Pick<VideoFacts | AudioFacts, 'durationSeconds' | 'startSeconds'>,
  clip: Clip,
  media: MediaFacts,
): boolean {
  if (clip.startSeconds === 0 || stream.durationSeconds === null) return true;
  return startWithin(stream.startSeconds, media) + stream.durationSeconds > clip.startSeconds;
}

/** Seconds from the start of the input to the start of a stream. The first timestamp of a file may differ from 0. */
export function startWithin(startSeconds: number | null, { video, audio }: MediaFacts): number {
  if (startSeconds === null) return 0;
  const starts = [video?.startSeconds, audio?.startSeconds].filter((start) => typeof start === 'number');
  return Math.max(0, startSeconds - Math.min(...starts, startSeconds));
}

/** Formats whose durations of streams are the times at which these end. */
export const endTimeFormats: ReadonlySet<string> = new Set(['matroska', 'webm']);

/**
 * How many seconds of an output have media: those of the clip, or as far as its streams of one kind reach into that,
 * because the video or the audio of a film may begin later or end earlier than the other. Null if it is not known.
 */
export function contentSecondsOf(
  clip: Clip,
  streams: readonly (VideoFacts | AudioFacts)[],
  media: MediaFacts,
): number | null {
  const { expectedSeconds } = clip;
  const isMixed = streams.length > 1 && streams.some((stream) => 'width' in stream);
  const lengths = streams.map((stream) => reachOf(stream, clip, media));
  if (expectedSeconds === null || isMixed || lengths.includes(null)) return expectedSeconds;
  const longest = Math.max(...lengths.map((seconds) => seconds ?? 0));
  return lengths.length === 0 ? expectedSeconds : Math.max(0, Math.min(expectedSeconds, longest));
}

/** How many seconds a stream reaches into a clip; null if it is not known. */
function reachOf(
  { startSeconds, durationSeconds }: VideoFacts | AudioFacts,
  clip: Clip,
  media: MediaFacts,
): number | null {
  if (durationSeconds === null) return null;
  const start = startWithin(startSeconds, media);
  const end = endTimeFormats.has(media.format) ? durationSeconds : start + durationSeconds;
  const clipEnd = clip.lengthSeconds === null ? end : Math.min(end, clip.startSeconds + clip.lengthSeconds);
  return clipEnd - Math.max(start, clip.startSeconds);
}

/**
 * The time of the first frame at or after the requested start. From a time between two frames, the first frame would be
 * up to one frame late: the time base of the encoder is one frame, so the delay is rounded up to a gap, and the last
 * frame is lost.
 */
function alignToFrame(requestedSeconds: number, media: MediaFacts): number {
  const rate = media.video?.frameRate ?? null;
  if (requestedSeconds === 0 || media.video === null || rate === null || media.video.isFrameRateVariable) {
    return requestedSeconds;
  }
  const framesPerSecond = rate.numerator / rate.denominator;
  const firstSeconds = startWithin(media.video.startSeconds, media);
  const frames = (requestedSeconds - firstSeconds) * framesPerSecond;
  // A rounded time may be earlier than its frame, and so may that of the first frame.
  if (media.video.hasRoundedTimes === true && frames > 0) {
    const frame = Math.ceil(frames - frameTolerance - roundingSeconds * framesPerSecond);
    const marginSeconds = Math.min(1.5 * roundingSeconds, 0.4 / framesPerSecond);
    return Math.floor((firstSeconds + frame / framesPerSecond - marginSeconds) * 1e6) / 1e6;
  }
  if (frames < 0 || Math.abs(frames - Math.round(frames)) < frameTolerance) return requestedSeconds;
  // Rounded down, because a time after the start of the frame would miss it.
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

/** The warning about a track that ends before the clip. */
export function endedWarnings(
  kind: 'video' | 'audio',
  track: AudioFacts | VideoFacts | null,
): readonly string[] {
  if (track?.durationSeconds == null) return [];
  return [
    `The ${kind} of the input was left out: it is ${track.durationSeconds.toFixed(1)} seconds long and ends before the clip.`,
  ];
}
