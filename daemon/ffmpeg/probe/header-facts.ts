import type { FileHandle } from 'node:fs/promises';
import { isTrack, objectAt, objectsAt, parseProbe, textAt } from './probe-fields.js';
import { withFile } from './scan-file.js';

/** Reading stops after that many elements or frames: a file of empty ones could be read for hours. */
const maxElements = 10_000;

/**
 * The output of ffprobe for a file of Matroska, or for one that begins with ID3 tags, with what its header declares and
 * ffprobe does not print: languages with regions and scripts, the borders that players cut off (`borders` of a stream),
 * and the names of the frames of ID3 that ffmpeg does not read (`unread_tags`).
 */
export async function withHeaderFacts(
  json: string,
  path: string,
  head: Buffer,
  sizeBytes: number,
): Promise<string> {
  if (head.length < 10) return json;
  if (head.readUInt32BE(0) === ids.ebml)
    return withTracks(json, await withFile(path, (file) => readTracks(file, sizeBytes)));
  if (head.toString('latin1', 0, 3) !== 'ID3') return json;
  const frames = await withFile(path, (file) => unreadFrames(file, head));
  return frames.length === 0 ? json : JSON.stringify({ ...parseProbe(json), unread_tags: frames });
}

/** Elements of Matroska (RFC 9559) by their ids. */
const ids = {
  ...{ ebml: 0x1a45dfa3, segment: 0x18538067, tracks: 0x1654ae6b, cluster: 0x1f43b675 },
  ...{ track: 0xae, type: 0x83, language: 0x22b59d, video: 0xe0 },
  ...{ top: 0x54bb, bottom: 0x54aa, left: 0x54cc, right: 0x54dd },
} as const;

/** An element of a file, with the offsets of its content. */
interface Element {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

/** A track of a file of Matroska. */
interface MatroskaTrack {
  readonly type: string;
  readonly language: string | null;
  /** Pixels that players cut off. */
  readonly borders: Readonly<Record<'top' | 'bottom' | 'left' | 'right', number>>;
}

/** The types of tracks by their numbers, as ffprobe calls them. */
const trackTypes: Readonly<Record<number, string>> = { 1: 'video', 2: 'audio', 17: 'subtitle' };

/** The elements between two offsets, until the first one that is cut off or that `isLast`. */
async function readElements(
  file: FileHandle,
  from: number,
  to: number,
  isLast: (id: number) => boolean = () => false,
): Promise<readonly Element[]> {
  const elements: Element[] = [];
  for (let at = from; at < to && elements.length < maxElements; ) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(12), 0, 12, at);
    const idBytes = Math.clz32(buffer[0] ?? 0) - 23;
    if (idBytes > 4 || bytesRead < idBytes + 1) break;
    const sizeBytes = Math.clz32(buffer[idBytes] ?? 0) - 23;
    if (sizeBytes > 8 || bytesRead < idBytes + sizeBytes) break;
    const start = at + idBytes + sizeBytes;
    // The highest bit of a size says how long it is. If all others are set, the size is unknown.
    const bits = BigInt(7 * sizeBytes);
    const mask = (1n << bits) - 1n;
    const size = BigInt(`0x${buffer.toString('hex', idBytes, idBytes + sizeBytes)}`) & mask;
    const end = size === mask ? to : start + Number(size);
    if (end > to) break;
    const id = buffer.readUIntBE(0, idBytes);
    elements.push({ id, start, end });
    if (isLast(id)) break;
    at = end;
  }
  return elements;
}

async function readTracks(file: FileHandle, sizeBytes: number): Promise<readonly MatroskaTrack[]> {
  const child = async ({ start, end }: Element, id: number, isLast?: (id: number) => boolean) =>
    (await readElements(file, start, end, isLast)).find((one) => one.id === id);
  const segment = await child({ id: 0, start: 0, end: sizeBytes }, ids.segment, (id) => id === ids.segment);
  const tracks =
    segment && (await child(segment, ids.tracks, (id) => id === ids.tracks || id === ids.cluster));
  if (tracks === undefined) return [];
  const entries = (await readElements(file, tracks.start, tracks.end)).filter(({ id }) => id === ids.track);
  return Promise.all(entries.map((entry) => readTrack(file, entry)));
}

async function readTrack(file: FileHandle, entry: Element): Promise<MatroskaTrack> {
  const content = Buffer.alloc(Math.min(100, entry.end - entry.start));
  const fields = await readElements(file, entry.start, entry.end);
  const bytesOf = async (elements: readonly Element[], id: number) => {
    const found = elements.find((one) => one.id === id);
    if (found === undefined) return null;
    const length = Math.min(content.length, found.end - found.start);
    const { bytesRead } = await file.read(content, 0, length, found.start);
    return Buffer.from(content.subarray(0, bytesRead));
  };
  const numberOf = async (elements: readonly Element[], id: number) =>
    Number.parseInt((await bytesOf(elements, id))?.toString('hex') || '0', 16);
  const video = fields.find(({ id }) => id === ids.video);
  const ofVideo = video === undefined ? [] : await readElements(file, video.start, video.end);
  const language = await bytesOf(fields, ids.language);
  return {
    type: trackTypes[await numberOf(fields, ids.type)] ?? 'other',
    language: language === null ? null : language.toString('latin1').replace(/\0.*$/s, ''),
    borders: {
      top: await numberOf(ofVideo, ids.top),
      bottom: await numberOf(ofVideo, ids.bottom),
      left: await numberOf(ofVideo, ids.left),
      right: await numberOf(ofVideo, ids.right),
    },
  };
}

/** Adds what tracks declare to the streams of ffprobe, which are in the same order; unchanged if it lists others. */
function withTracks(json: string, tracks: readonly MatroskaTrack[]): string {
  const declaring = ({ language, borders }: MatroskaTrack) =>
    language !== null || Object.values(borders).some((pixels) => pixels > 0);
  if (!tracks.some(declaring)) return json;
  const probe = parseProbe(json);
  const known = tracks.filter(({ type }) => type !== 'other');
  const streams = objectsAt(probe, 'streams');
  const listed = streams.filter(isTrack);
  const isSame =
    listed.length === known.length &&
    listed.every((stream, index) => textAt(stream, 'codec_type') === known[index]?.type);
  if (!isSame) return json;
  const described = streams.map((stream) => {
    const track = known[listed.indexOf(stream)];
    if (track === undefined || !declaring(track)) return stream;
    const { language, borders } = track;
    const tags = { ...objectAt(stream, 'tags'), ...(language === null ? {} : { language }) };
    return { ...stream, tags, borders };
  });
  return JSON.stringify({ ...probe, streams: described });
}

/** What the frames of ID3 that ffmpeg does not read hold. */
const frameContents: Readonly<Record<string, string>> = {
  ...{ POPM: 'rating', SYLT: 'synchronized lyrics', GEOB: 'attached object', UFID: 'file identifier' },
  ...{ RVA2: 'volume adjustment', RVAD: 'volume adjustment', EQU2: 'equalizer', PCNT: 'play counter' },
  ...{ MCDI: 'disc identifier', WXXX: 'link', USER: 'terms of use', OWNE: 'owner', COMR: 'commerce' },
};
/** Frames that ffmpeg reads, and those that say something about the file or the tag. */
const readFrames = /^(?:T...|COMM|USLT|APIC|CHAP|CTOC|PRIV|SEEK|ETCO|MLLT|SYTC|RBUF|POSS|ASPI|LINK|SIGN)$/;

/** What ID3 frames hold that ffmpeg does not read, and which texts it reads only the first of. Null bytes pad them. */
async function unreadFrames(file: FileHandle, head: Buffer): Promise<readonly string[]> {
  const [version = 0, flags = 0] = [head[3], head[5]];
  // The frames of version 2.2 have other names. If bytes are inserted or the header is extended, offsets differ.
  if (version < 3 || version > 4 || (flags & 0b1100_0000) !== 0) return [];
  const end = 10 + sizeOf(head, 6, true);
  const found: string[] = [];
  const unread = new Set<string>();
  for (let at = 10; at + 10 <= end && found.length < maxElements; ) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(10), 0, 10, at);
    const name = buffer.toString('latin1', 0, 4);
    if (bytesRead < 10 || !/^[A-Z0-9]{4}$/.test(name)) break;
    if (!readFrames.test(name)) unread.add(frameContents[name] ?? (name.startsWith('W') ? 'link' : name));
    else if (/^T/.test(name) && name !== 'TXXX' && found.includes(name)) unread.add(`a second ${name}`);
    found.push(name);
    at += 10 + sizeOf(buffer, 4, version === 4);
  }
  return [...unread];
}

/** A size in four bytes, of which a synchsafe one uses seven bits each. */
function sizeOf(buffer: Buffer, offset: number, isSynchsafe: boolean): number {
  const size = buffer.readUInt32BE(offset);
  if (!isSynchsafe) return size;
  return ((size >>> 24) << 21) | (((size >>> 16) & 127) << 14) | (((size >>> 8) & 127) << 7) | (size & 127);
}
