import type { FileHandle } from 'node:fs/promises';
import { withFile } from './scan-file.js';

/*
 * What the first and the last bytes of a file say about its length. ffprobe reports the duration that a header
 * declares, which is wrong if the file was cut off, or if a tool wrote something else.
 */

/** Sizes from here on are those of streams that were written without a known end. */
const maxRiffBytes = 0x7fff_0000;
const asfProperties = Buffer.from('a1dcab8c47a9cf118ee400c00c205365', 'hex');
const segmentId = Buffer.from('18538067', 'hex');

/**
 * The size in bytes that the header of a file declares for it; null if it declares none. Reads AVI, WAV, Matroska, FLV
 * and ASF.
 */
export function declaredBytes(head: Buffer): number | null {
  const magic = head.toString('latin1', 0, 4);
  if (magic === 'RIFF' && head.length >= 8) {
    const size = head.readUInt32LE(4);
    return size > 0 && size < maxRiffBytes ? size + 8 : null;
  }
  if (magic.startsWith('FLV')) {
    const name = head.indexOf('\0\u0008filesize\0', 0, 'latin1');
    return name < 0 || name + 19 > head.length ? null : positive(head.readDoubleBE(name + 11));
  }
  const properties = head.indexOf(asfProperties);
  if (properties >= 0 && properties + 48 <= head.length)
    return positive(Number(head.readBigUInt64LE(properties + 40)));
  const segment = isMatroska(head) ? head.indexOf(segmentId) : -1;
  const size = segment < 0 ? null : readSize(head, segment + 4);
  return size === null || size.value === null ? null : size.end + size.value;
}

/** The latest timestamp in seconds at the end of an FLV or Matroska file; null if it cannot be found there. */
export async function lastTimestamp(path: string, head: Buffer, sizeBytes: number): Promise<number | null> {
  const isFlv = head.toString('latin1', 0, 3) === 'FLV';
  if (!isFlv && !isMatroska(head)) return null;
  return withFile(path, (file) => (isFlv ? lastFlvTag(file, sizeBytes) : lastBlock(file, head, sizeBytes)));
}

function positive(value: number): number | null {
  return Number.isFinite(value) && value > 0 ? value : null;
}

function isMatroska(head: Buffer): boolean {
  return head.length >= 4 && head.readUInt32BE(0) === 0x1a45dfa3;
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, Math.max(0, position));
  return buffer.subarray(0, bytesRead);
}

const flvHeaderBytes = 11;

/** Each tag is followed by its size, and begins with its kind, the size of its data, and its time in milliseconds. */
async function lastFlvTag(file: FileHandle, sizeBytes: number): Promise<number | null> {
  const trailer = await readAt(file, sizeBytes - 4, 4);
  const tagBytes = trailer.length < 4 ? 0 : trailer.readUInt32BE(0);
  if (tagBytes < flvHeaderBytes || tagBytes + 4 > sizeBytes) return null;
  const tag = await readAt(file, sizeBytes - 4 - tagBytes, flvHeaderBytes);
  if (tag.length < flvHeaderBytes || tag.readUIntBE(1, 3) + flvHeaderBytes !== tagBytes) return null;
  return (tag.readUIntBE(4, 3) + (tag[7] ?? 0) * 2 ** 24) / 1000;
}

/** Clusters of ffmpeg have up to 5 MB. */
const tailBytes = [2 ** 20, 2 ** 23] as const;
const clusterId = Buffer.from('1f43b675', 'hex');
const elements = { timestamp: 0xe7, simpleBlock: 0xa3, blockGroup: 0xa0, block: 0xa1 } as const;
const timestampScaleId = Buffer.from('2ad7b183', 'hex');

async function lastBlock(file: FileHandle, head: Buffer, sizeBytes: number): Promise<number | null> {
  const scale = head.indexOf(timestampScaleId);
  const nanoseconds = scale < 0 || scale + 7 > head.length ? 1_000_000 : head.readUIntBE(scale + 4, 3);
  for (const length of tailBytes) {
    const tail = await readAt(file, sizeBytes - length, length);
    let at = tail.lastIndexOf(clusterId);
    while (at >= 0) {
      const ticks = lastTickOf(tail, at);
      if (ticks !== null) return (ticks * nanoseconds) / 1e9;
      at = at === 0 ? -1 : tail.lastIndexOf(clusterId, at - 1);
    }
    if (length >= sizeBytes) return null;
  }
  return null;
}

/** The latest time of the blocks in a cluster; null if there is none, or if the bytes are none. */
function lastTickOf(bytes: Buffer, at: number): number | null {
  const cluster = readSize(bytes, at + 4);
  if (cluster === null) return null;
  const end = cluster.value === null ? bytes.length : Math.min(bytes.length, cluster.end + cluster.value);
  let [base, latest]: [number | null, number | null] = [null, null];
  let position = cluster.end;
  while (position < end) {
    const id = bytes[position] ?? 0;
    // Only identifiers of one byte are of interest. Longer ones begin the next element after clusters of an unknown
    // size.
    const size = id >= 0x80 ? readSize(bytes, position + 1) : null;
    if (size === null || size.value === null) break;
    if (id === elements.timestamp && size.value <= 6 && size.end + size.value <= bytes.length)
      base = size.value === 0 ? 0 : bytes.readUIntBE(size.end, size.value);
    const block =
      id === elements.simpleBlock
        ? size.end
        : id === elements.blockGroup && bytes[size.end] === elements.block
          ? readSize(bytes, size.end + 1)?.end
          : undefined;
    const track = block === undefined ? null : readSize(bytes, block);
    if (base !== null && track !== null && track.end + 2 <= bytes.length)
      latest = Math.max(latest ?? 0, base + bytes.readInt16BE(track.end));
    position = size.end + size.value;
  }
  return latest;
}

/** Reads a number of variable length, and where it ends. The value is null if it means unknown. */
function readSize(bytes: Buffer, at: number): { readonly value: number | null; readonly end: number } | null {
  const first = bytes[at] ?? 0;
  const length = Math.clz32(first) - 23;
  if (first === 0 || at + length > bytes.length) return null;
  let value = first & (0xff >> length);
  let isUnknown = value === 0xff >> length;
  for (const byte of bytes.subarray(at + 1, at + length)) {
    value = value * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  return { value: isUnknown ? null : value, end: at + length };
}
