import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { decryptorOf, type SegmentCipher } from './encryption.js';
import type { PackagedPart } from './rendition-files.js';
import type { RenditionSegment } from './rendition-playlists.js';

/** How a rendition is verified. */
interface VerifyOptions {
  /** The duration of the file that was cut; null if unknown. */
  readonly durationSeconds: number | null;
  /** Decodes a file alone, from start to end. Rejects if that fails. */
  readonly decode: (path: string) => Promise<void>;
  /** The folder of a temporary file, and its name. */
  readonly folder: string;
  readonly name: string;
}

/** Durations of transport streams are estimated from their last frames. */
const toleranceSeconds = 1;

/**
 * Verifies the segments of a rendition as they were written: together they are as long as the file that was cut, each follows the one
 * before it, and the first one, one in the middle and the last one can be decoded alone. Throws `RangeError` if they are not.
 */
export async function verifyRendition(
  { segments, header, encryption }: PackagedPart,
  { durationSeconds, decode, folder, name }: VerifyOptions,
): Promise<void> {
  const last = segments.at(-1)?.segment;
  const end = last === undefined ? 0 : last.startSeconds + last.durationSeconds;
  const sum = segments.reduce((total, { segment }) => total + segment.durationSeconds, 0);
  if (segments.some(({ segment }) => !(segment.durationSeconds > 0 && segment.sizeBytes > 0)))
    throw new RangeError('a segment is empty');
  if (Math.abs(sum - end) > 0.001) throw new RangeError('the segments overlap or leave gaps');
  if (durationSeconds !== null && Math.abs(sum - durationSeconds) > Math.max(toleranceSeconds, sum * 0.02))
    throw new RangeError(
      `the segments have ${sum.toFixed(1)} seconds, and the file ${durationSeconds.toFixed(1)}`,
    );
  const samples = new Set([0, Math.floor((segments.length - 1) / 2), segments.length - 1]);
  for (const index of samples) {
    const sample = segments[index];
    if (sample !== undefined)
      await decodeSegment(sample, index, { decode, header, encryption, path: join(folder, name) });
  }
}

async function decodeSegment(
  { written: { file, range } }: RenditionSegment,
  index: number,
  {
    decode,
    header,
    encryption,
    path,
  }: Pick<VerifyOptions, 'decode'> & Pick<PackagedPart, 'header' | 'encryption'> & { readonly path: string },
): Promise<void> {
  const isWhole = encryption === null && header === null && (await stat(file.path)).size === range.sizeBytes;
  try {
    if (!isWhole) {
      const part = createReadStream(file.path, {
        start: range.offset,
        end: range.offset + range.sizeBytes - 1,
      });
      const plain = encryption === null ? part : decrypted(part, decryptorOf(encryption, index));
      await writeFile(path, header ?? '');
      await pipeline(plain, createWriteStream(path, { flags: 'a' }));
    }
    await decode(isWhole ? file.path : path).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new RangeError(`segment ${index + 1} cannot be decoded alone (${reason})`, { cause: error });
    });
  } finally {
    await rm(path, { force: true });
  }
}

async function* decrypted(chunks: AsyncIterable<Buffer>, cipher: SegmentCipher): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield cipher.update(chunk);
  yield cipher.final();
}
