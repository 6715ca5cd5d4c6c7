import type { MediaFacts } from '../../jobs/media.js';
import { indexedFormats, startWithin } from './clip.js';

/** How thumbnails are taken from the file of an output: each by seeking, or all in one pass. */
export interface ThumbnailSchedule {
  /** The times of the images found by seeking, in seconds. */
  readonly seeks: readonly { readonly imageIndex: number; readonly seconds: number }[];
  /** How long before each of these times reading starts. */
  readonly prerollSeconds: number;
  /** The images taken in one pass, at a constant interval; null if all are found by seeking. */
  readonly sequential: {
    readonly count: number;
    readonly firstSeconds: number;
    readonly everySeconds: number;
  } | null;
  /** The image number of each thumbnail: several thumbnails may show the same frame. */
  readonly imageIndexes: readonly number[];
}

/** The keyframe interval of encoders if none is set, and a typical frame rate. */
const defaultKeyframeInterval = 250;
const assumedFramesPerSecond = 25;

/**
 * Decides the times of `thumbnails.number`: N images at (i + 0.5) / N of the duration of the file, i from 0 (contract, section
 * 11). If the audio is longer than the video, the last frame is used after the end of the video. Null if the duration of the file
 * is unknown.
 *
 * Finding a frame means decoding from the keyframe before it. If that would exceed decoding the whole file, the file is decoded
 * once. Measured with 60 s of 640x360, in seconds of processor time: 1 image 0.05 by seeking and 0.76 in one pass, 10 images 1.0
 * and 1.2, 100 images 10 and 2.1.
 */
export function decideThumbnails(
  number: number,
  media: MediaFacts,
  keyframeInterval: number = defaultKeyframeInterval,
): ThumbnailSchedule | null {
  const { durationSeconds, video } = media;
  if (durationSeconds === null || video === null) return null;
  const rate = video.frameRate;
  const framesPerSecond = rate === null ? assumedFramesPerSecond : rate.numerator / rate.denominator;
  const everySeconds = durationSeconds / number;
  const lastSeconds = lastFrameTime(media, durationSeconds, 1 / framesPerSecond);
  const times = Array.from({ length: number }, (_, index) => (index + 0.5) * everySeconds);
  const reachable = times.filter((seconds) => seconds <= lastSeconds);
  const seeks = (seconds: number, imageIndex: number) => ({ imageIndex, seconds });
  const groupSeconds = keyframeInterval / framesPerSecond;
  const isIndexed = indexedFormats.has(media.format);
  const seekCostSeconds = reachable.length * (isIndexed ? groupSeconds / 2 : groupSeconds * 2);
  // In Ogg, frames after a seek had timestamps that were half a frame too early.
  const usesSeeks = media.format !== 'ogg' && seekCostSeconds < durationSeconds;
  return {
    seeks: [
      ...(usesSeeks ? reachable.map(seeks) : []),
      ...(reachable.length < number ? [seeks(lastSeconds, reachable.length)] : []),
    ],
    prerollSeconds: isIndexed ? 0 : groupSeconds + 1,
    sequential:
      usesSeeks || reachable.length === 0
        ? null
        : { count: reachable.length, firstSeconds: everySeconds / 2, everySeconds },
    imageIndexes: times.map((_, index) => Math.min(index, reachable.length)),
  };
}

/**
 * The schedule to use if seeking found no frame: all images in one pass. FLV does not store when its video ends, and MPEG streams
 * report a wrong frame rate, so a seek may land after the last keyframe and find nothing to decode.
 */
export function decideSequentialThumbnails(
  number: number,
  { durationSeconds }: MediaFacts,
): ThumbnailSchedule | null {
  if (durationSeconds === null) return null;
  const everySeconds = durationSeconds / number;
  return {
    seeks: [],
    prerollSeconds: 0,
    sequential: { count: number, firstSeconds: everySeconds / 2, everySeconds },
    imageIndexes: Array.from({ length: number }, (_, index) => index),
  };
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
