import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { VencError } from '../errors.js';
import { freeBytes } from './disk.js';
import { isDiskFull } from './system-code.js';

/** So much stays free on the disk of the folder, and the space is checked after so many bytes. */
const reserveBytes = 64 << 20;
const checkedBytes = 16 << 20;

/**
 * Writes chunks to a new file that only its owner can read, and resolves to its size. Rejects with `OutOfSpaceError` if
 * the disk becomes full, which names `what` is written, and with the error of the chunks.
 */
export async function writeChunks(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  what: string,
): Promise<number> {
  const folder = dirname(path);
  const noSpace = (cause?: unknown) =>
    new VencError('OutOfSpaceError', `There is no space left in ${folder} for ${what}.`, {
      cause,
      hint: 'set TMPDIR to a folder on a larger disk',
    });
  const file = await open(path, 'wx', 0o600);
  let sizeBytes = 0;
  let nextCheck = 0;
  try {
    for await (const chunk of chunks) {
      if (sizeBytes >= nextCheck) {
        if ((await freeBytes(folder)) < reserveBytes) throw noSpace();
        nextCheck = sizeBytes + checkedBytes;
      }
      await file.writeFile(chunk).catch((error: unknown) => {
        throw isDiskFull(error) ? noSpace(error) : error;
      });
      sizeBytes += chunk.length;
    }
    return sizeBytes;
  } finally {
    await file.close();
  }
}
