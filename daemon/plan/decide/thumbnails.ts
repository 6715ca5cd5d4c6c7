import { methodOf } from '../../../src/shared/settings/thumbnail-rules.js';
import type { ThumbnailSettings } from '../../../src/shared/settings/thumbnails.js';
import type { MediaFacts, Ratio } from '../../jobs/media.js';
import { indexedFormats, startWithin } from './clip.js';

/** The times of the images of a set, in seconds of the output. */
interface ThumbnailTimes {
  /** In the order of the images. */
  readonly seconds: readonly number[];
  /** The constant distance between two of them; null if it is not constant. */
  readonly everySeconds: number | null;
  /** What the length of the output changed, one sentence each. */
  readonly warnings: readonly string[];
}

/** How thumbnails are taken from the file of an output. */
export interface ThumbnailSchedule {
  /** The images taken one by one, in seconds. */
  readonly single: readonly { readonly imageIndex: number; readonly seconds: number }[];
  /**
   * Whether each of these is found by seeking. Otherwise the file is read from its start, for several images at a time.
   */
  readonly usesSeeks: boolean;
  /** How long before each of these times reading starts. */
  readonly prerollSeconds: number;
  /** The images taken in one pass, at a constant interval; null if there are none. */
  readonly sequential: {
    readonly count: number;
    readonly firstSeconds: number;
    readonly everySeconds: number;
  } | null;
  /** The image number of each thumbnail: several thumbnails may show the same frame. */
  readonly imageIndexes: readonly number[];
}

/**
 * The length of a file is rounded, so the last time of an interval may be this much after it, and at most half a frame.
 */
const maxRoundingSeconds = 0.02;

/** The keyframe interval of encoders if none is set, and a typical frame rate. */
const defaultKeyframeInterval = 250;
const assumedFramesPerSecond = 25;

/**
 * Decides the times of a set in an output of D seconds (contract, section 11): `number` N is i x D / (N + 1), i from 1,
 * or i x D / N, i from 0, if it starts at the first frame. An interval of S is S, 2 x S and so on, up to and including
 * the end, or from 0; one image in the middle if it is longer than D. `times` beyond the end are left out. At most
 * `max` images.
 */
export function decideTimes(
  set: ThumbnailSettings,
  durationSeconds: number,
  { inputFrameRate, outputFrameRate }: FrameRates,
  max: number,
): ThumbnailTimes {
  const method = methodOf(set);
  const startsAtZero = set.start_at_first_frame === true;
  const lastSeconds =
    durationSeconds + Math.min(maxRoundingSeconds, 0.5 / framesPerSecondOf(outputFrameRate));
  if (method === 'times') {
    const times = set.times ?? [];
    const seconds = times.filter((time) => time <= lastSeconds);
    const leftOut = times.length - seconds.length;
    const warning = `${leftOut} of ${times.length} thumbnails were left out, because their times are after the end of the video.`;
    return { seconds, everySeconds: null, warnings: leftOut === 0 ? [] : [warning] };
  }
  if (method === 'number') {
    const number = set.number ?? 1;
    const everySeconds = durationSeconds / (startsAtZero ? number : number + 1);
    return { ...spaced(startsAtZero ? 0 : everySeconds, everySeconds, number), warnings: [] };
  }
  const frames = set.interval_in_frames ?? 1;
  const interval =
    method === 'interval'
      ? (set.interval ?? 1)
      : frames / framesPerSecondOf(inputFrameRate ?? outputFrameRate);
  const intervals = Math.floor(lastSeconds / interval);
  if (intervals === 0)
    return { ...spaced(startsAtZero ? 0 : durationSeconds / 2, interval, 1), warnings: [] };
  const wanted = intervals + (startsAtZero ? 1 : 0);
  const count = Math.min(wanted, max);
  const warning = `Only the first ${max} of ${wanted} thumbnails were taken: use a longer interval.`;
  return {
    ...spaced(startsAtZero ? 0 : interval, interval, count),
    warnings: count === wanted ? [] : [warning],
  };
}

/** Frames per second; null if unknown. */
interface FrameRates {
  readonly inputFrameRate: Ratio | null;
  readonly outputFrameRate: Ratio | null;
}

function spaced(
  firstSeconds: number,
  everySeconds: number,
  count: number,
): Pick<ThumbnailTimes, 'seconds' | 'everySeconds'> {
  return {
    seconds: Array.from({ length: count }, (_, index) => firstSeconds + index * everySeconds),
    everySeconds,
  };
}

/**
 * Decides how the images at these times are taken. If the audio is longer than the video, the last frame is used after
 * the end of the video.
 *
 * Finding a frame means decoding from the keyframe before it. If that would exceed decoding the whole file, the file is
 * decoded once. Measured with 60 s of 640x360, in seconds of processor time: 1 image 0.05 by seeking and 0.76 in one
 * pass, 10 images 1.0 and 1.2, 100 images 10 and 2.1.
 */
export function decideThumbnails(
  times: ThumbnailTimes,
  media: MediaFacts,
  durationSeconds: number,
  keyframeInterval: number = defaultKeyframeInterval,
): ThumbnailSchedule {
  const framesPerSecond = framesPerSecondOf(media.video?.frameRate ?? null);
  const lastSeconds = lastFrameTime(media, durationSeconds, 1 / framesPerSecond);
  const reachable = times.seconds.filter((seconds) => seconds <= lastSeconds);
  const groupSeconds = keyframeInterval / framesPerSecond;
  const isIndexed = indexedFormats.has(media.format);
  const seekCostSeconds = reachable.length * (isIndexed ? groupSeconds / 2 : groupSeconds * 2);
  // In Ogg, frames after a seek had timestamps that were half a frame too early.
  const usesSeeks = media.format !== 'ogg' && seekCostSeconds < durationSeconds;
  const isSequential = !usesSeeks && times.everySeconds !== null && reachable.length > 0;
  const single = reachable.map((seconds, imageIndex) => ({ imageIndex, seconds }));
  let reachedCount = 0;
  return {
    single: [
      ...(isSequential ? [] : single),
      ...(reachable.length < times.seconds.length
        ? [{ imageIndex: reachable.length, seconds: lastSeconds }]
        : []),
    ],
    // The last frame of a file that is otherwise read in one pass is found by seeking.
    usesSeeks: usesSeeks || isSequential,
    prerollSeconds: isIndexed ? 0 : groupSeconds + 1,
    sequential: isSequential ? sequenceOf(reachable, times) : null,
    imageIndexes: times.seconds.map((seconds) => {
      if (seconds > lastSeconds) return reachable.length;
      reachedCount += 1;
      return reachedCount - 1;
    }),
  };
}

/**
 * The schedule to use if seeking found no frame: the file is read from its start. FLV does not store when its video
 * ends, and MPEG streams report a wrong frame rate, so a seek may land after the last keyframe and find nothing to
 * decode.
 */
export function decideFullRead(times: ThumbnailTimes): ThumbnailSchedule {
  const { seconds, everySeconds } = times;
  return {
    single: everySeconds === null ? seconds.map((at, imageIndex) => ({ imageIndex, seconds: at })) : [],
    usesSeeks: false,
    prerollSeconds: 0,
    sequential: everySeconds === null ? null : sequenceOf(seconds, times),
    imageIndexes: seconds.map((_, index) => index),
  };
}

function sequenceOf(
  seconds: readonly number[],
  { everySeconds }: ThumbnailTimes,
): NonNullable<ThumbnailSchedule['sequential']> {
  return { count: seconds.length, firstSeconds: seconds[0] ?? 0, everySeconds: everySeconds ?? 1 };
}

function framesPerSecondOf(rate: Ratio | null): number {
  return rate === null ? assumedFramesPerSecond : rate.numerator / rate.denominator;
}

/** A time at which the last frame is displayed, as far as the file stores its end. */
function lastFrameTime(media: MediaFacts, durationSeconds: number, frameSeconds: number): number {
  const { video, format } = media;
  const streamSeconds = video?.durationSeconds ?? null;
  if (video === null || streamSeconds === null) return durationSeconds;
  // The tag of Matroska is the end, not the duration.
  const hasEndTimestamps = format === 'matroska' || format === 'webm';
  const endSeconds = streamSeconds + (hasEndTimestamps ? 0 : startWithin(video.startSeconds, media));
  return Math.max(0, Math.min(endSeconds - frameSeconds / 2, durationSeconds));
}
