import type { AudioFacts, VideoFacts } from '../../jobs/media.js';
import { hasDisposition, numberAt, type ProbeObject, tagAt, textAt } from './probe-fields.js';

/** What video and sound streams have in common. */
interface StreamFacts {
  readonly streamIndex: number;
  readonly codec: string;
  readonly bitrateKbps: number | null;
  readonly durationSeconds: number | null;
  readonly startSeconds: number | null;
}

/** Kilobits a second, whole, of a number of bits a second; null where that is not above zero. */
export function toKilobits(bitsPerSecond: number | null): number | null {
  return bitsPerSecond !== null && bitsPerSecond > 0 ? Math.round(bitsPerSecond / 1000) : null;
}

/** Seconds that are above zero; null for all else. */
function positive(seconds: number | null): number | null {
  return seconds !== null && seconds > 0 ? seconds : null;
}

/** Seconds of `00:01:02.345000000`. */
function clockSeconds(text: string | null): number | null {
  const parts = /^(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(text ?? '');
  return parts === null ? null : Number(parts[1]) * 3600 + Number(parts[2]) * 60 + Number(parts[3]);
}

/** Whether there is a name for the stream's codec: without one nothing can decode it. */
export function isCodecKnown(stream: ProbeObject): boolean {
  const codec = textAt(stream, 'codec_name');
  return codec !== null && codec !== 'none';
}

/**
 * The common facts of a stream. Matroska keeps no durations and bitrates per stream but as tags, which ffmpeg and mkvmerge
 * write (`DURATION`, `BPS`).
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

function isUsable(stream: ProbeObject): boolean {
  const channels = numberAt(stream, 'channels') ?? 0;
  const sampleRate = numberAt(stream, 'sample_rate') ?? 0;
  return textAt(stream, 'codec_type') === 'audio' && isCodecKnown(stream) && channels > 0 && sampleRate > 0;
}

/** The default sound stream, else the first that can be used; null where there is none. */
export function readAudio(streams: readonly ProbeObject[]): AudioFacts | null {
  const usableStreams = streams.filter(isUsable);
  const chosen = usableStreams.find((stream) => hasDisposition(stream, 'default')) ?? usableStreams[0];
  if (chosen === undefined) return null;
  return {
    ...readStream(chosen),
    channels: numberAt(chosen, 'channels') ?? 0,
    sampleRate: numberAt(chosen, 'sample_rate') ?? 0,
  };
}

/** By no more than this do the lengths of a file and of what is in it differ without a reason: padding, rounded times. */
const maxDifferenceSeconds = (seconds: number) => Math.max(0.5, seconds * 0.02);

/**
 * How long what is encoded of a file lasts, in seconds; null where nothing tells. That is what the file says of itself, unless the chosen
 * video and sound are known to end well before: a subtitle that stays for an hour, or a camera's track of data, makes
 * the file longer and none of the outputs.
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

/** Seconds from the first beginning of some streams to their last end; null where one of them does not tell. */
function endOf(streams: readonly (VideoFacts | AudioFacts)[]): number | null {
  const first = Math.min(...streams.map(({ startSeconds }) => startSeconds ?? 0));
  const ends = streams.map(({ startSeconds, durationSeconds }) =>
    durationSeconds === null ? Number.NaN : (startSeconds ?? 0) - first + durationSeconds,
  );
  const last = Math.max(...ends);
  return Number.isFinite(last) ? last : null;
}
