import { createHmac } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/** A range of the bytes of a file. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** What a proof is about: a file, by its path and size. */
export interface ClaimedFile {
  /** Absolute, without symbolic links. */
  readonly path: string;
  readonly sizeBytes: number;
}

/** Reads ranges of a file, one after the other. Rejects with `RangeError` if the file ends before. */
export async function readRanges(file: FileHandle, ranges: readonly ByteRange[]): Promise<Buffer> {
  const bytes = Buffer.alloc(ranges.reduce((sum, { length }) => sum + length, 0));
  let filled = 0;
  for (const { offset, length } of ranges) {
    for (let done = 0; done < length; ) {
      const { bytesRead } = await file.read(bytes, filled, length - done, offset + done);
      if (bytesRead === 0) throw new RangeError('the file is shorter than its ranges');
      done += bytesRead;
      filled += bytesRead;
    }
  }
  return bytes;
}

/**
 * The proof that somebody has read ranges of a file: a keyed hash of its path, its size and these bytes, in hexadecimal
 * digits. The key, of hexadecimal digits as well, is used for one proof only, so that a proof cannot be used again.
 */
export function proofOfReading(key: string, { path, sizeBytes }: ClaimedFile, bytes: Buffer): string {
  return createHmac('sha256', Buffer.from(key, 'hex'))
    .update(`${JSON.stringify([path, sizeBytes])}\n`)
    .update(bytes)
    .digest('hex');
}
