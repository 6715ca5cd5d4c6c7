import { scanFile } from './scan-file.js';

const capture = 'OggS';
const headerBytes = 27;
/** The flag of the first page of a logical stream. */
const beginsStream = 0x02;
/** The position of a page on which no packet ends. */
const noPosition = -1n;
/**
 * A stream whose first position is later was recorded from the middle. The first page of others has up to a few
 * seconds.
 */
const maxFirstSeconds = 10;

/** The audio stream of a link, and its first and last position in samples. */
interface Link {
  readonly sampleRate: number;
  readonly skippedSamples: number;
  first: number | null;
  last: number;
}

/**
 * The duration in seconds of an Ogg file that consists of several links, one after the other, as web radio is recorded;
 * null for a file with one link, or one with more than one stream at a time. Each link has times of its own, and
 * ffprobe reports the duration of the last one.
 */
export async function measureChainedOgg(path: string, signal: AbortSignal): Promise<number | null> {
  const links: Link[] = [];
  let isUnderstood = true;
  const onPage = (page: Buffer, payload: Buffer): void => {
    const link = links.at(-1);
    if (((page[5] ?? 0) & beginsStream) !== 0) {
      const next = linkOf(payload);
      // A link has one stream: the one before has begun to play.
      isUnderstood &&= next !== null && (link === undefined || link.first !== null);
      if (next !== null) links.push(next);
      return;
    }
    const position = page.readBigInt64LE(6);
    // The pages of headers have the position 0.
    if (link === undefined || position === noPosition || position === 0n) return;
    link.first ??= Number(position);
    link.last = Number(position);
  };
  const isRead = await scanFile(path, signal, (bytes) => {
    const consumedBytes = readPages(bytes, onPage);
    return isUnderstood ? consumedBytes : null;
  });
  return !isRead || links.length < 2 ? null : links.reduce((sum, link) => sum + secondsOf(link), 0);
}

/** Calls back with complete pages, and returns the offset after them. Skips bytes that are not a page. */
function readPages(bytes: Buffer, onPage: (page: Buffer, payload: Buffer) => void): number {
  let at = 0;
  while (at + headerBytes <= bytes.length) {
    if (bytes.toString('latin1', at, at + capture.length) !== capture) {
      const next = bytes.indexOf(capture, at + 1, 'latin1');
      at = next < 0 ? bytes.length - capture.length + 1 : next;
      continue;
    }
    const payload = at + headerBytes + (bytes[at + headerBytes - 1] ?? 0);
    if (payload > bytes.length) break;
    const end = bytes.subarray(at + headerBytes, payload).reduce((sum, size) => sum + size, payload);
    if (end > bytes.length) break;
    onPage(bytes.subarray(at, payload), bytes.subarray(payload, end));
    at = end;
  }
  return at;
}

/** The link that begins with a header; null for one of a stream that is not audio, or of an unknown codec. */
function linkOf(header: Buffer): Link | null {
  const link = (sampleRate: number, skippedSamples = 0) =>
    sampleRate > 0 ? { sampleRate, skippedSamples, first: null, last: 0 } : null;
  const name = header.toString('latin1', 0, 8);
  if (name.startsWith('\u0001vorbis') && header.length >= 16) return link(header.readUInt32LE(12));
  if (name === 'OpusHead' && header.length >= 12) return link(48_000, header.readUInt16LE(10));
  if (name.startsWith('\u007fFLAC') && header.length >= 30) return link(header.readUIntBE(27, 3) >> 4);
  return name === 'Speex   ' && header.length >= 40 ? link(header.readUInt32LE(36)) : null;
}

function secondsOf({ sampleRate, skippedSamples, first, last }: Link): number {
  const start = first !== null && first > maxFirstSeconds * sampleRate ? first : skippedSamples;
  return Math.max(0, last - start) / sampleRate;
}
