import { numberAt, type ProbeObject, tagAt, textAt } from './probe-fields.js';

/** What video and sound streams have in common. */
export interface StreamFacts {
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
export function positive(seconds: number | null): number | null {
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
