import { limitSignal } from '../../../src/shared/util/freezer.js';
import { LineReader } from '../../../src/shared/util/line-reader.js';
import type { Analysis, MediaFacts, Ratio, VideoFacts } from '../../jobs/media.js';
import { inputOptions } from '../../plan/safe-input.js';
import type { Binary, DisplayMoment, MeasuredVideo } from '../ffmpeg-types.js';
import { numberAt, objectsAt, type ProbeObject, parseProbe } from './probe-fields.js';
import { isUsableAudio } from './read-streams.js';
import { usableVideos } from './read-video.js';
import { entryArgs, launchFfprobe, type ProbeSettings, readFfprobeOutput } from './run-ffprobe.js';

/** Implements `Ffmpeg.readLength`. */
export async function readLength(
  ffprobe: Binary,
  path: string,
  settings: ProbeSettings,
  signal: AbortSignal,
): Promise<number | null> {
  const limited = AbortSignal.any([signal, limitSignal(settings.seconds * 1000)]);
  const args = entryArgs('format=duration');
  const output = await readFfprobeOutput(ffprobe, args, path, { settings, signal: limited }).catch(() => '');
  const seconds = Number.parseFloat(output);
  return seconds > 0 ? seconds : null;
}

/** Implements `Ffmpeg.measureVideo`. */
export async function measureVideo(
  ffprobe: Binary,
  path: string,
  settings: ProbeSettings,
  signal: AbortSignal,
): Promise<MeasuredVideo | null> {
  let [bytes, packets, first, last] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const isRead = await readPackets(ffprobe, path, 'v:0', { settings, signal }, (seconds, size) => {
    bytes += size;
    packets += 1;
    first = Math.min(first, seconds);
    last = Math.max(last, seconds);
  });
  if (!isRead || packets < 2 || last <= first) return null;
  // The duration of the last frame is taken to be the average of the others.
  const seconds = ((last - first) * packets) / (packets - 1);
  return { seconds, kbps: (bytes * 8) / 1000 / seconds };
}

/** Implements `Ffmpeg.measureSeconds`. */
export async function measureSeconds(
  ffprobe: Binary,
  path: string,
  streamIndex: number,
  settings: ProbeSettings,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const sizes: (readonly [number, number])[] = [];
  const isRead = await readPackets(ffprobe, path, String(streamIndex), { settings, signal }, (...packet) =>
    sizes.push(packet),
  );
  if (!isRead) return [];
  const first = sizes.reduce((least, [seconds]) => Math.min(least, seconds), Number.POSITIVE_INFINITY);
  const bytes: number[] = [];
  for (const [seconds, size] of sizes) {
    const second = Math.floor(seconds - first + roundingSeconds);
    if (second >= maxMeasuredSeconds) continue;
    while (bytes.length <= second) bytes.push(0);
    bytes[second] = (bytes[second] ?? 0) + size;
  }
  return bytes;
}

/** Times in files are rounded to a millisecond at most. */
const roundingSeconds = 0.0005;
/** Packets later than a week after the first have wrong times. */
const maxMeasuredSeconds = 7 * 24 * 3600;

/**
 * Calls `onPacket` with the time and the size of each packet of a stream. Resolves to whether all were read. AVI and
 * program streams have only the decoding times of most packets.
 */
async function readPackets(
  ffprobe: Binary,
  path: string,
  stream: string,
  { settings, signal }: { readonly settings: ProbeSettings; readonly signal: AbortSignal },
  onPacket: (seconds: number, bytes: number) => void,
): Promise<boolean> {
  const reader = new LineReader((line) => {
    const [displayed = Number.NaN, decoded = Number.NaN, size = Number.NaN] = line
      .split(',')
      .map(Number.parseFloat);
    const seconds = Number.isFinite(displayed) ? displayed : decoded;
    if (Number.isFinite(seconds + size)) onPacket(seconds, size);
  });
  const exit = await launchFfprobe(ffprobe, entryArgs('packet=pts_time,dts_time,size', stream), path, {
    settings,
    signal: AbortSignal.any([signal, limitSignal(settings.seconds * 1000)]),
    onStdout: (text) => reader.add(text),
  });
  return exit.exitCode === 0;
}

/** The times of a track in seconds of the file's timestamps. */
export interface TrackTimes {
  readonly startSeconds: number;
  /** When its last packet begins and ends. */
  readonly lastSeconds: number;
  readonly endSeconds: number;
}

/**
 * Measures from when to when each track of a file has packets, by the index of its stream. Reads all packets. Null if
 * the signal is aborted first or ffprobe fails.
 */
export async function measureTracks(
  ffprobe: Binary,
  path: string,
  settings: ProbeSettings,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, TrackTimes> | null> {
  const tracks = new Map<number, TrackTimes>();
  const reader = new LineReader((line) => {
    const [index = Number.NaN, start = Number.NaN, length = 0] = line.split(',').map(Number.parseFloat);
    if (!Number.isFinite(index + start)) return;
    const track = tracks.get(index) ?? { startSeconds: start, lastSeconds: start, endSeconds: start };
    tracks.set(index, {
      startSeconds: Math.min(track.startSeconds, start),
      lastSeconds: Math.max(track.lastSeconds, start),
      endSeconds: Math.max(track.endSeconds, start + (Number.isFinite(length) ? length : 0)),
    });
  });
  const exit = await launchFfprobe(ffprobe, entryArgs('packet=stream_index,pts_time,duration_time'), path, {
    settings,
    signal,
    onStdout: (text) => reader.add(text),
  });
  return exit.exitCode === 0 ? tracks : null;
}

const microsecondsPerSecond = 1_000_000;

/** What the last packets of a video with a variable rate show. */
interface MeasuredEnd {
  readonly frameRate: Ratio;
  readonly lastFrame: NonNullable<VideoFacts['lastFrame']>;
}

/**
 * The average frame rate of a video with a variable rate: the number of frame intervals divided by the time from the
 * first frame to the last, and when the last frame begins and ends. ffprobe's average includes the duration of the last
 * frame, so a long last frame lowers it (6.4 instead of 7.2), and its duration of a stream in MP4 ends with the
 * decoding of the last frame, not with its display. Reads only the first packet and those after the last keyframe. Null
 * if the file does not declare its number of frames or has no usable timestamps.
 */
export async function measureVariableVideo(
  ffprobe: Binary,
  path: string,
  { video, analysis }: Pick<MediaFacts, 'video' | 'analysis'>,
  options: { readonly settings: ProbeSettings; readonly signal: AbortSignal },
): Promise<MeasuredEnd | null> {
  const { streamIndex = 0, frameCount = 0 } = video ?? {};
  if (frameCount < 2) return null;
  const args = [
    ...entryArgs('packet=pts_time,duration_time', streamIndex, analysis),
    // For a time after the end, ffprobe reads from the last keyframe.
    ...['-read_intervals', '%+#1,999999999%'],
  ];
  const csv = await readFfprobeOutput(ffprobe, args, path, options);
  const packets = csv.split('\n').flatMap((line) => {
    const [start = Number.NaN, length = Number.NaN] = line.split(',').map(Number.parseFloat);
    return Number.isFinite(start) ? [{ start, end: start + (Number.isFinite(length) ? length : 0) }] : [];
  });
  const startSeconds = Math.max(...packets.map(({ start }) => start));
  const firstSeconds = Math.min(...packets.map(({ start }) => start));
  const microseconds = Math.round((startSeconds - firstSeconds) * microsecondsPerSecond);
  if (packets.length < 2 || microseconds <= 0) return null;
  return {
    frameRate: { numerator: (frameCount - 1) * microsecondsPerSecond, denominator: microseconds },
    lastFrame: { startSeconds, endSeconds: Math.max(...packets.map(({ end }) => end)) },
  };
}

/** That many frames of another track are enough to call a track with a single frame a still image. */
const maxFramesNextToStill = 2000;

/**
 * The indexes of the video streams with a single frame, of those whose container does not declare the number of frames.
 * Nothing is read if the file has fewer than two video streams; otherwise packets until each stream has two, or another
 * one has many.
 */
export async function findStills(
  ffprobe: Binary,
  path: string,
  json: string,
  { settings, signal }: { readonly settings: ProbeSettings; readonly signal: AbortSignal },
): Promise<ReadonlySet<number>> {
  const videos = usableVideos(objectsAt(parseProbe(json), 'streams'));
  const isCounted = (stream: ProbeObject) => numberAt(stream, 'nb_frames') !== null;
  if (videos.length < 2 || videos.every(isCounted)) return new Set();
  const isEnough = (counts: readonly number[]) =>
    counts.some((one) => one > maxFramesNextToStill + 1) || counts.every((one) => one > 1);
  const { indexesWith } = await countPackets(ffprobe, path, videos, {
    ...{ args: entryArgs('packet=stream_index', 'v'), isEnough, settings, signal },
  });
  return indexesWith(1);
}

/**
 * The indexes of the audio streams without a packet, which MP4 in fragments and Matroska may declare with all
 * properties. Nothing is read if the first packets of the file, which the probe printed, show one of each; otherwise
 * packets of audio until each stream has one.
 */
export async function findEmptyAudio(
  ffprobe: Binary,
  path: string,
  { json, analysis }: { readonly json: string; readonly analysis?: Analysis | undefined },
  { settings, signal }: { readonly settings: ProbeSettings; readonly signal: AbortSignal },
): Promise<ReadonlySet<number>> {
  const probe = parseProbe(json);
  const seen = new Set(objectsAt(probe, 'packets').map((packet) => numberAt(packet, 'stream_index')));
  const unseen = objectsAt(probe, 'streams').filter(
    (stream) =>
      isUsableAudio(stream) && !seen.has(numberAt(stream, 'index')) && !numberAt(stream, 'nb_frames'),
  );
  // Without any packet, this ffprobe may be too old for the only codec of the file: the decoder says more.
  if (unseen.length === 0 || seen.size === 0) return new Set();
  const { indexesWith, isWhole } = await countPackets(ffprobe, path, unseen, {
    args: entryArgs('packet=stream_index', 'a', analysis),
    isEnough: (counts) => counts.every((one) => one > 0),
    ...{ settings, signal },
  });
  return isWhole ? indexesWith(0) : new Set();
}

/** Counts packets of streams until the counts are enough. `isWhole` says whether the file was read to its end. */
async function countPackets(
  ffprobe: Binary,
  path: string,
  streams: readonly ProbeObject[],
  options: {
    readonly args: readonly string[];
    readonly isEnough: (counts: readonly number[]) => boolean;
    readonly settings: ProbeSettings;
    readonly signal: AbortSignal;
  },
): Promise<{ readonly indexesWith: (count: number) => ReadonlySet<number>; readonly isWhole: boolean }> {
  const { args, isEnough, settings, signal } = options;
  const counts = new Map(streams.map((stream) => [numberAt(stream, 'index') ?? -1, 0]));
  const stopReading = new AbortController();
  const reader = new LineReader((line) => {
    const index = Number.parseInt(line, 10);
    const count = counts.get(index);
    if (count === undefined) return;
    counts.set(index, count + 1);
    if (isEnough([...counts.values()])) stopReading.abort();
  });
  const exit = await launchFfprobe(ffprobe, args, path, {
    ...{ settings, signal: AbortSignal.any([stopReading.signal, signal]) },
    onStdout: (text) => reader.add(text),
  });
  return {
    indexesWith: (wanted) =>
      new Set([...counts].filter(([, count]) => count === wanted).map(([index]) => index)),
    isWhole: exit.exitCode === 0,
  };
}

type FieldOrder = VideoFacts['fieldOrder'];

/** Number of frames that are sampled at the start and in the middle of the file. */
const sampleFrames = 8;
/** Codecs that are always progressive, although their streams do not declare it. */
const progressiveCodecs: ReadonlySet<string> = new Set([
  ...['vp8', 'vp9', 'av1', 'theora', 'h263', 'flv1', 'mpeg1video', 'gif'],
]);

/** Whether the field order has to be measured: not for streams that are declared progressive. */
export function mayBeInterlaced({ codec, fieldOrder }: VideoFacts): boolean {
  return fieldOrder !== 'progressive' && !progressiveCodecs.has(codec);
}

/**
 * Detects the field order from the flags of a few decoded frames; null if these do not show it. Measured with PAL video
 * of 720x576: 0.17 s of CPU time for H.264, 0.14 s for DV.
 */
export async function detectFieldOrder(
  ffprobe: Binary,
  path: string,
  media: Pick<MediaFacts, 'durationSeconds' | 'analysis'> & { readonly video: VideoFacts },
  options: { readonly settings: ProbeSettings; readonly signal: AbortSignal },
): Promise<FieldOrder | null> {
  const { video, durationSeconds, analysis } = media;
  const middle = durationSeconds === null ? '' : `,${Math.floor(durationSeconds / 2)}%+#${sampleFrames}`;
  const args = [
    ...['-v', 'error', '-hide_banner', ...inputOptions(analysis), '-print_format', 'json'],
    ...['-select_streams', String(video.streamIndex), '-read_intervals', `%+#${sampleFrames}${middle}`],
    ...['-show_entries', 'frame=interlaced_frame,top_field_first'],
  ];
  return parseFieldOrder(await readFfprobeOutput(ffprobe, args, path, options), video.fieldOrder);
}

/**
 * The field order that the flags of most frames show. If the flags contradict each other, as those of x265 do, the
 * `declared` order of the stream is returned. Null if most frames have no flag: many streams that are correctly
 * declared as interlaced do not flag their frames.
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

/** Reading stops after this many later frames: no codec reorders more. */
const maxReorderedFrames = 17;

/** Implements `Ffmpeg.findDisplayedFrame`. Reads from the keyframe before the time until shortly after it. */
export async function findDisplayedFrame(
  ffprobe: Binary,
  path: string,
  { streamIndex, seconds, analysis }: DisplayMoment,
  settings: ProbeSettings,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  const stopReading = new AbortController();
  const limit = limitSignal(settings.seconds * 1000);
  const args = [
    ...entryArgs('packet=pts_time', streamIndex, analysis),
    ...['-read_intervals', `${seconds.toFixed(6)}%`],
  ];
  let [displayedFrame, laterFrame] = [Number.NEGATIVE_INFINITY, 0];
  const reader = new LineReader((line) => {
    const frameStarts = Number.parseFloat(line);
    if (!Number.isFinite(frameStarts)) return;
    if (frameStarts <= seconds) displayedFrame = Math.max(displayedFrame, frameStarts);
    else laterFrame += 1;
    if (laterFrame >= maxReorderedFrames) stopReading.abort();
  });
  await launchFfprobe(ffprobe, args, path, {
    settings,
    signal: AbortSignal.any([stopReading.signal, limit, ...(signal === undefined ? [] : [signal])]),
    onStdout: (text) => reader.add(text),
  });
  return Number.isFinite(displayedFrame) ? displayedFrame : null;
}
