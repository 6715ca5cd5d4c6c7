import type { AudioFacts, VideoFacts } from '../../jobs/media.js';
import { hasDisposition, numberAt, type ProbeObject, tagAt, textAt } from './probe-fields.js';
import { readLabels } from './read-tags.js';

/** Facts that video and audio streams have in common. */
interface StreamFacts {
  readonly streamIndex: number;
  readonly codec: string;
  readonly bitrateKbps: number | null;
  readonly durationSeconds: number | null;
  readonly startSeconds: number | null;
}

/** Converts bits per second to whole Kbps; null unless positive. */
export function toKilobits(bitsPerSecond: number | null): number | null {
  return bitsPerSecond !== null && bitsPerSecond > 0 ? Math.round(bitsPerSecond / 1000) : null;
}

/** The value if it is positive; otherwise null. */
function positive(seconds: number | null): number | null {
  return seconds !== null && seconds > 0 ? seconds : null;
}

/** Parses `00:01:02.345000000` to seconds. */
export function clockSeconds(text: string | null): number | null {
  const parts = /^(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(text ?? '');
  return parts === null ? null : Number(parts[1]) * 3600 + Number(parts[2]) * 60 + Number(parts[3]);
}

/** Whether ffprobe knows the stream's codec: otherwise it cannot be decoded. */
export function isCodecKnown(stream: ProbeObject): boolean {
  const codec = textAt(stream, 'codec_name');
  return codec !== null && codec !== 'none';
}

/**
 * Reads the common facts of a stream. Matroska has durations and bitrates of streams only as tags (`DURATION`, `BPS`),
 * which ffmpeg and mkvmerge write.
 */
export function readStream(stream: ProbeObject): StreamFacts {
  const bitsPerSecond = numberAt(stream, 'bit_rate') ?? Number(tagAt(stream, 'bps') ?? Number.NaN);
  return {
    streamIndex: numberAt(stream, 'index') ?? 0,
    codec: textAt(stream, 'codec_name') ?? 'unknown',
    bitrateKbps: toKilobits(bitsPerSecond),
    durationSeconds: positive(numberAt(stream, 'duration') ?? clockSeconds(tagAt(stream, 'duration'))),
    startSeconds: numberAt(stream, 'start_time'),
  };
}

/** Whether a stream is audio that can be decoded, of which ffprobe found a frame. */
export function isUsableAudio(stream: ProbeObject): boolean {
  const channels = numberAt(stream, 'channels') ?? 0;
  const sampleRate = numberAt(stream, 'sample_rate') ?? 0;
  return textAt(stream, 'codec_type') === 'audio' && isCodecKnown(stream) && channels > 0 && sampleRate > 0;
}

/** Purposes of audio that is not the ordinary audio of a film. Descriptions are declared by either of two names. */
const specialAudio = ['visual_impaired', 'descriptions', 'hearing_impaired', 'comment'] as const;

/**
 * The audio streams that can be decoded, best first: ordinary ones before descriptions and commentaries, then the
 * default one, then in the order of the file. A description that is the first track of an MP4 file is often declared as
 * the default as well.
 */
export function readAudio(streams: readonly ProbeObject[], formatName: string): readonly AudioFacts[] {
  const isSpecial = (stream: ProbeObject) =>
    Number(specialAudio.some((name) => hasDisposition(stream, name)));
  const isDefault = (stream: ProbeObject) => Number(hasDisposition(stream, 'default'));
  return streams
    .filter(isUsableAudio)
    .toSorted((a, b) => isSpecial(a) - isSpecial(b) || isDefault(b) - isDefault(a))
    .map((stream) => audioFacts(stream, formatName === 'ogg'));
}

/** In Ogg, the title of a track is that of the file, which is kept with the tags. */
function audioFacts(stream: ProbeObject, isOgg: boolean): AudioFacts {
  const { title, ...labels } = readLabels(stream);
  return {
    ...readStream(stream),
    channels: numberAt(stream, 'channels') ?? 0,
    sampleRate: numberAt(stream, 'sample_rate') ?? 0,
    ...labels,
    ...(isOgg || title === undefined ? {} : { title }),
  };
}

/** The durations of a file and its streams may differ by this much, because of padding and rounded timestamps. */
const maxDifferenceSeconds = (seconds: number) => Math.max(0.5, seconds * 0.02);

/**
 * The duration of the encoded part of a file in seconds; null if unknown. It is the duration that the file declares,
 * unless the chosen video and audio end well before it: a long subtitle or a camera's data track makes the file longer,
 * but not the outputs.
 */
export function readDuration(
  format: ProbeObject,
  streams: readonly ProbeObject[],
  chosen: readonly (VideoFacts | AudioFacts | null)[],
): number | null {
  const declaredSeconds = positive(numberAt(format, 'duration')) ?? longestStream(streams);
  const endSeconds = endOf(chosen.filter((stream) => stream !== null));
  if (declaredSeconds === null || endSeconds === null) return declaredSeconds;
  return endSeconds < declaredSeconds - maxDifferenceSeconds(declaredSeconds) ? endSeconds : declaredSeconds;
}

function longestStream(streams: readonly ProbeObject[]): number | null {
  return positive(Math.max(0, ...streams.map((stream) => numberAt(stream, 'duration') ?? 0)));
}

/** Seconds from the earliest start of the streams to their latest end; null if one of them is unknown. */
function endOf(streams: readonly (VideoFacts | AudioFacts)[]): number | null {
  const first = Math.min(...streams.map(({ startSeconds }) => startSeconds ?? 0));
  const ends = streams.map(({ startSeconds, durationSeconds }) =>
    durationSeconds === null ? Number.NaN : (startSeconds ?? 0) - first + durationSeconds,
  );
  const last = Math.max(...ends);
  return Number.isFinite(last) ? last : null;
}
