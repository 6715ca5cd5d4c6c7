import { hevcString } from './codec-strings.js';
import { boxesIn, boxesOf, requireBox } from './mp4-boxes.js';
import type { Track } from './sample-tables.js';

/** The name of the codec of a track (RFC 6381); null if it has none that venc writes. */
export function codecOfTrack({ box }: Pick<Track, 'box'>): string | null {
  const descriptions = requireBox(box, 'mdia', 'minf', 'stbl', 'stsd');
  const [first] = boxesOf(descriptions.subarray(8));
  return first === undefined ? null : codecOfSampleEntry(first.type, first.content);
}

/** The name of the codec of a sample description (`stsd` entry); null if it is not one that venc writes. */
function codecOfSampleEntry(type: string, entry: Buffer): string | null {
  const boxes = (name: string, from: number) => boxesIn(entry.subarray(from), name)[0];
  switch (type) {
    case 'avc1': {
      const config = boxes('avcC', videoEntryBytes);
      return config === undefined ? null : `avc1.${config.toString('hex', 1, 4).toUpperCase()}`;
    }
    case 'hvc1':
    case 'hev1': {
      const config = boxes('hvcC', videoEntryBytes);
      return config === undefined ? null : hevcString(config.subarray(1, 13));
    }
    case 'vp09': {
      const config = boxes('vpcC', videoEntryBytes);
      if (config === undefined) return null;
      return `vp09.${two(config.readUInt8(4))}.${two(config.readUInt8(5))}.${two(config.readUInt8(6) >> 4)}`;
    }
    case 'av01': {
      const config = boxes('av1C', videoEntryBytes);
      return config === undefined ? null : av1String(config);
    }
    case 'mp4a': {
      const descriptor = boxes('esds', audioEntryBytes);
      return descriptor === undefined ? null : mp4aString(descriptor);
    }
    case 'Opus':
      return 'opus';
    case 'ac-3':
    case 'ec-3':
      return type;
    default:
      return null;
  }
}

/** Sizes of the fixed part of sample entries, after which their boxes begin. */
const videoEntryBytes = 78;
const audioEntryBytes = 28;

/** `av01.` with profile, level, tier and bit depth, from the content of `av1C` (AV1 in ISOBMFF, section 5). */
function av1String(config: Buffer): string {
  const second = config.readUInt8(1);
  const third = config.readUInt8(2);
  const profile = second >> 5;
  const isHighDepth = (third & 0x40) !== 0;
  const isTwelveBit = (third & 0x20) !== 0;
  const depth = isHighDepth ? (profile === 2 && isTwelveBit ? 12 : 10) : 8;
  return `av01.${profile}.${two(second & 0x1f)}${(third & 0x80) === 0 ? 'M' : 'H'}.${two(depth)}`;
}

/**
 * `mp4a.40.2` and so on, from the content of `esds`: the object type, and that of the decoder configuration (ISO
 * 14496-1, 7.2.6).
 */
function mp4aString(esds: Buffer): string | null {
  const decoder = descriptorIn(descriptorIn(esds.subarray(4), 3)?.subarray(3) ?? Buffer.alloc(0), 4);
  if (decoder === null) return null;
  const objectType = decoder.readUInt8(0);
  // MP3 is object type 34 of MPEG-4 audio.
  if (objectType === 0x6b || objectType === 0x69) return 'mp4a.40.34';
  const specific = descriptorIn(decoder.subarray(13), 5);
  return specific === null ? null : `mp4a.${objectType.toString(16)}.${specific.readUInt8(0) >> 3}`;
}

/** The content of the first descriptor with a tag; null if there is none. */
function descriptorIn(bytes: Buffer, tag: number): Buffer | null {
  for (let at = 0; at + 2 <= bytes.length; ) {
    let size = 0;
    let next = at + 1;
    for (let more = true; more && next < bytes.length; next += 1) {
      const byte = bytes.readUInt8(next);
      size = size * 128 + (byte & 0x7f);
      more = (byte & 0x80) !== 0;
    }
    if (bytes.readUInt8(at) === tag) return bytes.subarray(next, next + size);
    at = next + size;
  }
  return null;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
