import type { FileHandle } from 'node:fs/promises';
import { numberAt, objectAt, parseProbe } from './probe-fields.js';
import { withFile } from './scan-file.js';

/** A box of a file, with the offsets of its content. */
interface FileBox {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** Reading stops after that many: a file of empty boxes could be read for hours. */
const maxBoxes = 10_000;

/**
 * The boxes between two offsets of a file, until the first one that is cut off. Follows their sizes, and reads nothing
 * else. `damaged` is the offset and the size of a box whose size is impossible.
 */
async function readBoxes(
  file: FileHandle,
  from: number,
  to: number,
): Promise<{ readonly boxes: readonly FileBox[]; readonly damaged: readonly [number, number] | null }> {
  const boxes: FileBox[] = [];
  for (let at = from; at < to && boxes.length < maxBoxes; ) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, at);
    const short = bytesRead < 8 ? 0 : buffer.readUInt32BE(0);
    // A size of 1 means that 64 bits follow, a size of 0 that the box extends to the end.
    const size = short === 1 ? Number(buffer.readBigUInt64BE(8)) : short === 0 ? to - at : short;
    if (bytesRead < 8 || size > to - at) break;
    if (size < 8) return { boxes, damaged: [at, size] };
    const start = at + (short === 1 ? 16 : 8);
    boxes.push({ type: buffer.toString('latin1', 4, 8), start, end: at + size });
    at += size;
  }
  return { boxes, damaged: null };
}

/** What is wrong with the boxes of an MP4 file, as a sentence; null if its index is complete. */
export function explainBoxes(path: string, sizeBytes: number): Promise<string | null> {
  return withFile(path, async (file) => {
    const { boxes, damaged } = await readBoxes(file, 0, sizeBytes);
    if (damaged !== null)
      return `The file is damaged at byte ${damaged[0]}: a box has a size of ${damaged[1]} bytes.`;
    const mayHaveIndex = boxes.length === maxBoxes || boxes.some(({ type }) => type === 'moov');
    return mayHaveIndex ? null : 'The file is truncated: its index (moov) is missing.';
  });
}

/**
 * The output of ffprobe for an MP4 file, with the length that the header of the movie declares, if that is longer.
 * ffprobe prints it before version 6.1; newer ones print that of the longest track, without the time for which the last
 * frame is held.
 */
export function withMovieLength(json: string, seconds: number | null): string {
  const probe = parseProbe(json);
  const format = objectAt(probe, 'format');
  const printed = numberAt(format, 'duration');
  if (seconds === null || printed === null || seconds < printed + 0.001) return json;
  return JSON.stringify({ ...probe, format: { ...format, duration: seconds.toFixed(6) } });
}

/** The duration in `mvhd` of a file; null if it is unknown, or the movie continues in fragments. */
export function readMovieSeconds(path: string, sizeBytes: number): Promise<number | null> {
  return withFile(path, (file) => movieSeconds(file, sizeBytes));
}

async function movieSeconds(file: FileHandle, sizeBytes: number): Promise<number | null> {
  const movie = (await readBoxes(file, 0, sizeBytes)).boxes.find(({ type }) => type === 'moov');
  if (movie === undefined) return null;
  const { boxes } = await readBoxes(file, movie.start, movie.end);
  const header = boxes.find(({ type }) => type === 'mvhd');
  if (header === undefined || boxes.some(({ type }) => type === 'mvex')) return null;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(32), 0, 32, header.start);
  if (bytesRead < 32) return null;
  const isLong = buffer[0] === 1;
  const duration = isLong ? buffer.readBigUInt64BE(24) : BigInt(buffer.readUInt32BE(16));
  const isUnknown = duration === (isLong ? 0xffff_ffff_ffff_ffffn : 0xffff_ffffn);
  const seconds = Number(duration) / buffer.readUInt32BE(isLong ? 20 : 12);
  return isUnknown || !Number.isFinite(seconds) ? null : seconds;
}
