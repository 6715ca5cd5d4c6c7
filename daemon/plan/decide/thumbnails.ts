import type { MediaFacts } from '../../jobs/media.js';
import { indexedFormats, startWithin } from './clip.js';

/** How pictures are taken of an output's file: each found by seeking, or all of them in one pass through it. */
export interface ThumbnailSchedule {
  /** The moments of the pictures found by seeking, in seconds, and how long before each of them reading has to begin. */
  readonly seeks: readonly { readonly imageIndex: number; readonly seconds: number }[];
  readonly prerollSeconds: number;
  /** So many pictures from the first one on, all at one distance; null where all are sought. */
  readonly sequential: {
    readonly count: number;
    readonly firstSeconds: number;
    readonly everySeconds: number;
  } | null;
  /** For each thumbnail the number of its picture: several may show the same moment. */
  readonly imageIndexes: readonly number[];
}

/** What encoders do by themselves, where no other distance of keyframes was asked for; and a likely frame rate. */
const defaultKeyframeInterval = 250;
const assumedFramesPerSecond = 25;

/**
 * Which pictures `thumbnails.number` stands for: N of them at (i + 0.5) / N of the length of the output's file, the first of them 0
 * (contract, section 11); after the end of the picture, where the sound is longer, its last frame. Null where the file does not tell
 * its length.
 *
 * To find a frame is to decode what lies between it and the keyframe before; where that would come to more than the whole file, this is
 * gone through once. Measured on 60 s of 640x360, in seconds of processor time: 1 picture 0.05 sought and 0.76 in passing, 10 pictures
 * 1.0 and 1.2, 100 pictures 10 and 2.1.
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
  // In Ogg the frames after a seek were found to be told half a frame too early.
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
 * The same where what was sought was not found: all in one pass. FLV does not tell when its picture ends, and MPEG's streams tell a
 * wrong frame rate, so that a search may begin behind the last keyframe and find nothing to decode.
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

/** A moment at which the last frame is shown for certain, as far as the file tells when that ends. */
function lastFrameTime(media: MediaFacts, durationSeconds: number, frameSeconds: number): number {
  const { video, format } = media;
  const streamSeconds = video?.durationSeconds ?? null;
  if (video === null || streamSeconds === null) return durationSeconds;
  // Matroska's tag tells the end, not the length.
  const hasEndTimestamps = format === 'matroska' || format === 'webm';
  const endSeconds = streamSeconds + (hasEndTimestamps ? 0 : startWithin(video.startSeconds, media));
  return Math.max(0, Math.min(endSeconds - frameSeconds / 2, durationSeconds));
}
