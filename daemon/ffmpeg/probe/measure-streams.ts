import { resolve } from 'node:path';
import type { Ratio, VideoFacts } from '../../jobs/media.js';
import { fileArgument, safeInputOptions } from '../../plan/safe-input.js';
import type { Binary, DisplayMoment, MeasuredVideo } from '../ffmpeg-types.js';
import { launch } from '../launch.js';
import { numberAt, objectsAt, parseProbe } from './probe-fields.js';
import { type ProbeSettings, readFfprobeOutput } from './run-ffprobe.js';

const videoPacketArgs = [
  ...['-v', 'error', '-hide_banner', ...safeInputOptions, '-select_streams', 'v:0'],
  ...['-show_entries', 'packet=pts_time,size', '-of', 'csv=p=0'],
] as const;

/** Measures the picture of a file as promised by `Ffmpeg.measureVideo`. */
export async function measureVideo(
  ffprobe: Binary,
  path: string,
  settings: ProbeSettings,
  signal: AbortSignal,
): Promise<MeasuredVideo | null> {
  let [rest, bytes, packets, first, last] = ['', 0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const exit = await launch(ffprobe.path, [...videoPacketArgs, fileArgument(resolve(path))], {
    parentDeathWrapper: settings.parentDeathWrapper,
    signal: AbortSignal.any([signal, AbortSignal.timeout(settings.seconds * 1000)]),
    onStdout: (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [seconds, size] = line.split(',').map(Number.parseFloat);
        if (seconds === undefined || size === undefined || !Number.isFinite(seconds + size)) continue;
        bytes += size;
        packets += 1;
        first = Math.min(first, seconds);
        last = Math.max(last, seconds);
      }
    },
  });
  if (exit.exitCode !== 0 || packets < 2 || last <= first) return null;
  // The last frame is taken to be shown as long as the others are on average.
  const seconds = ((last - first) * packets) / (packets - 1);
  return { seconds, kbps: (bytes * 8) / 1000 / seconds };
}

const audioPacketArgs = [
  ...['-v', 'error', '-hide_banner', ...safeInputOptions, '-select_streams', 'a:0'],
  ...['-show_entries', 'packet=pts_time,duration_time', '-of', 'csv=p=0'],
] as const;

/**
 * How long the first sound of a file lasts, in seconds, from its first packet to the end of its last: all of them are read. Null where
 * that cannot be found out in the time there is.
 */
export async function measureAudioDuration(
  ffprobe: Binary,
  path: string,
  { parentDeathWrapper }: { readonly parentDeathWrapper: readonly string[] },
  signal: AbortSignal,
): Promise<number | null> {
  let [rest, first, last] = ['', Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const exit = await launch(ffprobe.path, [...audioPacketArgs, fileArgument(resolve(path))], {
    parentDeathWrapper,
    signal,
    onStdout: (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [start = Number.NaN, length = Number.NaN] = line.split(',').map(Number.parseFloat);
        if (!Number.isFinite(start + length)) continue;
        first = Math.min(first, start);
        last = Math.max(last, start + length);
      }
    },
  });
  return exit.exitCode === 0 && last > first ? last - first : null;
}

const microsecondsPerSecond = 1_000_000;

/**
 * The frame rate of a video whose frames are not evenly spaced: the intervals between its first and its last frame, by the time between
 * them. ffprobe's average includes the duration of the last frame, and a frame that is held at the end lowers it (6.4 for 7.2). Only the
 * first packet and those after the last keyframe are read. Null where the file does not tell how many frames it has, or the times do not
 * tell a rate.
 */
export async function measureFrameRate(
  ffprobe: Binary,
  path: string,
  { streamIndex, frameCount = 0 }: VideoFacts,
  options: { readonly parentDeathWrapper: readonly string[]; readonly signal: AbortSignal },
): Promise<Ratio | null> {
  if (frameCount < 2) return null;
  const args = [
    ...['-v', 'error', '-hide_banner', ...safeInputOptions, '-select_streams', String(streamIndex)],
    // A time after the end: ffprobe reads from the last keyframe.
    ...['-read_intervals', '%+#1,999999999%', '-show_entries', 'packet=pts_time', '-of', 'csv=p=0'],
  ];
  const json = await readFfprobeOutput(ffprobe, args, path, options);
  const times = json.split('\n').map(Number.parseFloat).filter(Number.isFinite);
  const microseconds = Math.round((Math.max(...times) - Math.min(...times)) * microsecondsPerSecond);
  return times.length < 2 || microseconds <= 0
    ? null
    : { numerator: (frameCount - 1) * microsecondsPerSecond, denominator: microseconds };
}

type FieldOrder = VideoFacts['fieldOrder'];

/** Frames looked at in a place of the file: the first ones, and as many in its middle. */
const sampleFrames = 8;
/** Codecs of which each frame is whole, although their streams do not say so. */
const progressiveCodecs: ReadonlySet<string> = new Set([
  ...['vp8', 'vp9', 'av1', 'theora', 'h263', 'flv1', 'mpeg1video', 'gif'],
]);

/** Whether the frames have to be asked for the order of their fields: not where the stream says that there are none. */
export function mayBeInterlaced({ codec, fieldOrder }: VideoFacts): boolean {
  return fieldOrder !== 'progressive' && !progressiveCodecs.has(codec);
}

/**
 * The order of a picture's fields by the flags of a few decoded frames. Null where these do not tell. Measured on PAL of 720x576: 0.17 s of
 * processor time for H.264, 0.14 s for DV.
 */
export async function detectFieldOrder(
  ffprobe: Binary,
  path: string,
  media: { readonly video: VideoFacts; readonly durationSeconds: number | null },
  options: { readonly parentDeathWrapper: readonly string[]; readonly signal: AbortSignal },
): Promise<FieldOrder | null> {
  const { video, durationSeconds } = media;
  const middle = durationSeconds === null ? '' : `,${Math.floor(durationSeconds / 2)}%+#${sampleFrames}`;
  const args = [
    ...['-v', 'error', '-hide_banner', ...safeInputOptions, '-print_format', 'json'],
    ...['-select_streams', String(video.streamIndex), '-read_intervals', `%+#${sampleFrames}${middle}`],
    ...['-show_entries', 'frame=interlaced_frame,top_field_first'],
  ];
  return parseFieldOrder(await readFfprobeOutput(ffprobe, args, path, options), video.fieldOrder);
}

/**
 * The order that most frames tell by their flags; `declared`, which the stream tells, where the flags contradict each other, as those of
 * x265 do. Null where most frames have no such flag: many a stream that rightly says that it is interlaced does not flag its frames.
 */
export function parseFieldOrder(json: string, declared: FieldOrder): FieldOrder | null {
  const frames = objectsAt(parseProbe(json), 'frames');
  const flagged = frames.filter((frame) => numberAt(frame, 'interlaced_frame') === 1);
  if (flagged.length === 0 || flagged.length * 2 < frames.length) return null;
  const topFirst = flagged.filter((frame) => numberAt(frame, 'top_field_first') === 1).length;
  const isUnanimous = topFirst === 0 || topFirst === flagged.length;
  if (!isUnanimous && declared !== 'unknown') return declared;
  return topFirst * 2 >= flagged.length ? 'top-first' : 'bottom-first';
}

/** So many frames after the moment are enough: no codec reorders more. */
const maxReorderedFrames = 17;

/** Finds a frame by its moment as promised by `Ffmpeg.frameOnScreen`. Reads from the keyframe before the moment to shortly behind it. */
export async function findDisplayedFrame(
  ffprobe: Binary,
  path: string,
  { streamIndex, seconds }: DisplayMoment,
  settings: ProbeSettings,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  const stopReading = new AbortController();
  const limit = AbortSignal.timeout(settings.seconds * 1000);
  const args = [
    ...['-v', 'error', '-hide_banner', ...safeInputOptions, '-select_streams', String(streamIndex)],
    ...['-read_intervals', `${seconds.toFixed(6)}%`, '-show_entries', 'packet=pts_time', '-of', 'csv=p=0'],
    fileArgument(resolve(path)),
  ];
  let [rest, displayedFrame, laterFrame] = ['', Number.NEGATIVE_INFINITY, 0];
  await launch(ffprobe.path, args, {
    parentDeathWrapper: settings.parentDeathWrapper,
    signal: AbortSignal.any([stopReading.signal, limit, ...(signal === undefined ? [] : [signal])]),
    onStdout: (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const frameStarts of lines.map(Number.parseFloat).filter(Number.isFinite)) {
        if (frameStarts <= seconds) displayedFrame = Math.max(displayedFrame, frameStarts);
        else laterFrame += 1;
      }
      if (laterFrame >= maxReorderedFrames) stopReading.abort();
    },
  });
  return Number.isFinite(displayedFrame) ? displayedFrame : null;
}
