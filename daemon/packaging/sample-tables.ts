import { boxesIn, requireBox } from './mp4-boxes.js';

/*
 * Reads the tables of an MP4 that ffmpeg wrote, in which each track has its samples: ISO 14496-12, sections 8.6 and
 * 8.7.
 */

/** A frame of video, or of audio. Times are in units of the timescale of its track. */
export interface Sample {
  /** Where its bytes are in the file. */
  readonly offset: number;
  readonly sizeBytes: number;
  /** When it is decoded; 0 for the first sample. */
  readonly decodeTime: number;
  /** When it is presented. May be negative, before the presentation begins. */
  readonly time: number;
  readonly duration: number;
  readonly isSync: boolean;
}

/** A track of an MP4. */
export interface Track {
  readonly id: number;
  readonly kind: 'video' | 'audio';
  /** Units per second. */
  readonly timescale: number;
  /** The content of its box `trak`. */
  readonly box: Buffer;
  /** Its samples in the order in which they are decoded. They are read from the tables as they are needed. */
  readonly samples: () => Generator<Sample>;
}

const kinds: Readonly<Record<string, Track['kind']>> = { vide: 'video', soun: 'audio' };

/**
 * The tracks of video and audio, from the content of the box `moov`. Throws `RangeError` if its tables are not
 * complete.
 */
export function tracksOf(moov: Buffer): readonly Track[] {
  const movieTimescale = timescaleOf(requireBox(moov, 'mvhd'));
  return boxesIn(moov, 'trak').flatMap((trak) => {
    const kind = kinds[requireBox(trak, 'mdia', 'hdlr').toString('latin1', 8, 12)];
    if (kind === undefined) return [];
    const tkhd = requireBox(trak, 'tkhd');
    const timescale = timescaleOf(requireBox(trak, 'mdia', 'mdhd'));
    const shift = shiftOf(trak, timescale / movieTimescale);
    const tables = requireBox(trak, 'mdia', 'minf', 'stbl');
    return [
      {
        id: tkhd.readUInt32BE(isLong(tkhd) ? 20 : 12),
        kind,
        timescale,
        box: trak,
        samples: () => samplesOf(tables, shift),
      },
    ];
  });
}

/** Whether a box has times of 64 bits. */
function isLong(content: Buffer): boolean {
  return content.readUInt8(0) === 1;
}

/** The timescale in a `mvhd` or `mdhd`. */
function timescaleOf(header: Buffer): number {
  return header.readUInt32BE(isLong(header) ? 20 : 12);
}

/**
 * How much later than in its tables a track is presented, by its edit list. `scale` converts times of the movie into
 * those of the track.
 */
function shiftOf(trak: Buffer, scale: number): number {
  const [edits] = boxesIn(trak, 'edts');
  if (edits === undefined) return 0;
  const list = requireBox(edits, 'elst');
  const entryBytes = isLong(list) ? 20 : 12;
  let delay = 0;
  for (let at = 8; at + entryBytes <= list.length; at += entryBytes) {
    const duration = isLong(list) ? Number(list.readBigUInt64BE(at)) : list.readUInt32BE(at);
    const mediaTime = isLong(list) ? Number(list.readBigInt64BE(at + 8)) : list.readInt32BE(at + 4);
    if (mediaTime >= 0) return Math.round(delay * scale) - mediaTime;
    delay += duration;
  }
  return 0;
}

/** The samples in the tables of a box `stbl`. */
function* samplesOf(tables: Buffer, shift: number): Generator<Sample> {
  const sizes = requireBox(tables, 'stsz');
  const commonSize = sizes.readUInt32BE(4);
  const count = sizes.readUInt32BE(8);
  const durations = runs(requireBox(tables, 'stts'), 0);
  const offsets = runs(boxesIn(tables, 'ctts')[0] ?? null, 0);
  const positions = positionsOf(tables);
  const [syncTable] = boxesIn(tables, 'stss');
  const syncs = syncTable === undefined ? null : syncNumbers(syncTable);
  let nextSync = syncs?.next().value;
  let decodeTime = 0;
  for (let index = 0; index < count; index += 1) {
    const sizeBytes = commonSize === 0 ? sizes.readUInt32BE(12 + index * 4) : commonSize;
    const duration = durations.next().value;
    const isSync = syncs === null || nextSync === index + 1;
    if (syncs !== null && isSync) nextSync = syncs.next().value;
    // Offsets of both versions are signed in practice.
    const time = decodeTime + (offsets.next().value | 0) + shift;
    yield { offset: positions.take(sizeBytes), sizeBytes, decodeTime, time, duration, isSync };
    decodeTime += duration;
  }
}

/**
 * The values of a table of runs (`stts`, `ctts`), one for each sample; the default after its end, or without a table.
 */
function* runs(table: Buffer | null, defaultValue: number): Generator<number, never> {
  const end = table === null ? 0 : 8 + table.readUInt32BE(4) * 8;
  for (let at = 8; table !== null && at < end; at += 8) {
    const value = table.readUInt32BE(at + 4);
    for (let left = table.readUInt32BE(at); left > 0; left -= 1) yield value;
  }
  for (;;) yield defaultValue;
}

function* syncNumbers(table: Buffer): Generator<number, undefined> {
  const end = 8 + table.readUInt32BE(4) * 4;
  for (let at = 8; at < end; at += 4) yield table.readUInt32BE(at);
  return undefined;
}

/** Finds the position of each sample in the file, by the chunks that they are in. */
function positionsOf(tables: Buffer): { take(sizeBytes: number): number } {
  const groups = requireBox(tables, 'stsc');
  const groupEnd = 8 + groups.readUInt32BE(4) * 12;
  const [short] = boxesIn(tables, 'stco');
  const long = short === undefined ? requireBox(tables, 'co64') : null;
  const chunkCount = (short ?? long)?.readUInt32BE(4) ?? 0;
  const positionOf = (chunk: number) =>
    short?.readUInt32BE(8 + chunk * 4) ?? Number(long?.readBigUInt64BE(8 + chunk * 8) ?? 0);
  let group = 8;
  let chunk = -1;
  let left = 0;
  let position = 0;
  return {
    take(sizeBytes) {
      while (left === 0) {
        chunk += 1;
        if (chunk >= chunkCount) throw new RangeError('the file has fewer chunks than samples');
        // A group of chunks begins with a chunk, counted from 1, and ends where the next group begins.
        while (group + 12 < groupEnd && groups.readUInt32BE(group + 12) <= chunk + 1) group += 12;
        left = groups.readUInt32BE(group + 4);
        position = positionOf(chunk);
      }
      left -= 1;
      position += sizeBytes;
      return position - sizeBytes;
    },
  };
}

/** The language of a track (ISO 639-2); null if it is not known. */
export function languageOfTrack({ box }: Pick<Track, 'box'>): string | null {
  const header = requireBox(box, 'mdia', 'mdhd');
  const packed = header.readUInt16BE(isLong(header) ? 32 : 20);
  const letters = [10, 5, 0].map((shift) => String.fromCharCode(((packed >> shift) & 0x1f) + 0x60));
  const language = letters.join('');
  return /^[a-z]{3}$/.test(language) && language !== 'und' ? language : null;
}
