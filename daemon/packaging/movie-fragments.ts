import { box, boxesIn, boxesOf, fullBox, requireBox, words } from './mp4-boxes.js';
import type { Sample, Track } from './sample-tables.js';

/*
 * Writes fragmented MP4: ISO 14496-12, section 8.8 (fragments) and 8.16.3 (index), and ISO 23000-19 (CMAF).
 */

/** Flags of samples: one on which no other depends to be decoded, and one that depends on others. */
const syncFlags = 0x0200_0000;
const dependentFlags = 0x0101_0000;

/** The header of a fragmented MP4 with some tracks of a movie, whose box `moov` has this content. */
export function headerOf(moov: Buffer, tracks: readonly Track[], isCmaf: boolean): Buffer {
  const brands = isCmaf ? ['cmfc', 'iso6', 'cmfc'] : ['iso6', 'iso6', 'mp41'];
  const [major = '', ...compatible] = brands;
  const names = Buffer.from(compatible.join(''), 'latin1');
  return Buffer.concat([
    box('ftyp', Buffer.from(major, 'latin1'), words([0]), names),
    box(
      'moov',
      box('mvhd', withoutDuration(requireBox(moov, 'mvhd'), 16)),
      ...tracks.map((track) => box('trak', ...boxesOf(track.box).flatMap(emptied))),
      box('mvex', ...tracks.map(({ id }) => fullBox('trex', {}, words([id, 1, 0, 0, 0])))),
    ),
  ]);
}

/** Boxes of a track that are kept whole, and those in which others are replaced. */
const keptBoxes: ReadonlySet<string> = new Set(['hdlr', 'vmhd', 'smhd', 'nmhd', 'dinf', 'stsd']);
const parentBoxes: ReadonlySet<string> = new Set(['mdia', 'minf']);

/**
 * A box of a track without its samples: they follow in fragments. There are no edit lists: the times of fragments are
 * already shifted.
 */
function emptied({ type, content }: { readonly type: string; readonly content: Buffer }): readonly Buffer[] {
  if (type === 'tkhd') return [box(type, withoutDuration(content, 20))];
  if (type === 'mdhd') return [box(type, withoutDuration(content, 16))];
  if (parentBoxes.has(type)) return [box(type, ...boxesOf(content).flatMap(emptied))];
  if (type === 'stbl') {
    const tables = ['stts', 'stsc', 'stco'].map((name) => fullBox(name, {}, words([0])));
    return [box(type, ...boxesIn(content, 'stsd').map((stsd) => box('stsd', stsd)), ...tables, emptySizes())];
  }
  return keptBoxes.has(type) ? [box(type, content)] : [];
}

function emptySizes(): Buffer {
  return fullBox('stsz', {}, words([0, 0]));
}

/**
 * A header with a duration of 0, which means that the fragments have it. `at` is where that is, in the version with
 * times of 32 bits.
 */
function withoutDuration(content: Buffer, at: number): Buffer {
  const copy = Buffer.from(content);
  if (copy.readUInt8(0) === 1) copy.writeBigUInt64BE(0n, at + 8);
  else copy.writeUInt32BE(0, at);
  return copy;
}

/** A part of a track. `time` and `decodeTime` of the samples have the zero of the presentation. */
interface Fragment {
  readonly trackId: number;
  /** Not empty. */
  readonly samples: readonly Sample[];
}

/** The boxes in front of the media of a fragment: `moof` and the header of `mdat`. */
export function fragmentHeader({ trackId, samples }: Fragment, sequenceNumber: number): Buffer {
  const [first] = samples;
  if (first === undefined) throw new TypeError('a fragment has no samples');
  const hasOffsets = samples.some(({ time, decodeTime }) => time !== decodeTime);
  const hasFlags = samples.some(({ isSync }) => !isSync);
  const hasDurations = samples.some(({ duration }) => duration !== first.duration);
  const entries = words(
    samples.flatMap(({ duration, sizeBytes, isSync, time, decodeTime }) => [
      ...(hasDurations ? [duration] : []),
      sizeBytes,
      ...(hasFlags ? [isSync ? syncFlags : dependentFlags] : []),
      ...(hasOffsets ? [(time - decodeTime) >>> 0] : []),
    ]),
  );
  const runFlags = 0x201 | (hasDurations ? 0x100 : 0) | (hasFlags ? 0x400 : 0) | (hasOffsets ? 0x800 : 0);
  const build = (dataOffset: number) =>
    box(
      'moof',
      fullBox('mfhd', {}, words([sequenceNumber])),
      box(
        'traf',
        // Offsets count from this box. The defaults are the duration and the flags of a sample.
        fullBox('tfhd', { flags: 0x2_0028 }, words([trackId, first.duration, syncFlags])),
        fullBox('tfdt', { version: 1 }, longWord(first.decodeTime)),
        fullBox('trun', { version: 1, flags: runFlags }, words([samples.length, dataOffset]), entries),
      ),
    );
  const mediaBytes = samples.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return Buffer.concat([build(build(0).length + 8), words([mediaBytes + 8]), Buffer.from('mdat', 'latin1')]);
}

function longWord(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

/** A segment in the index of a file. */
interface IndexedSegment {
  readonly sizeBytes: number;
  /** In units of the timescale of the track. */
  readonly duration: number;
}

/** The index of a file (`sidx`), directly in front of its segments. Each begins with a keyframe. */
export function segmentIndex(
  { id, timescale }: Pick<Track, 'id' | 'timescale'>,
  segments: readonly IndexedSegment[],
): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt16BE(segments.length, 2);
  const entries = segments.flatMap(({ sizeBytes, duration }) => [sizeBytes, duration, 0x9000_0000]);
  return fullBox('sidx', {}, words([id, timescale, 0, 0]), count, words(entries));
}

/** The size of an index of so many segments. */
export function indexBytes(count: number): number {
  return 32 + count * 12;
}
