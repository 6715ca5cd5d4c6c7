import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { VencError } from '../../../src/shared/errors.js';
import { systemCode } from '../../../src/shared/util/system-code.js';

/**
 * Uses a file that is open for reading, and closes it. Rejects with `FileNotFoundError`, or `UnsupportedInputError` if
 * it cannot be read.
 */
export async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  try {
    const file = await open(path);
    return await use(file).finally(() => file.close());
  } catch (error) {
    const code = systemCode(error);
    // Errors of Node, which are not of the file, have longer codes.
    if (code === null || code.startsWith('ERR_')) throw error;
    if (code === 'ENOENT')
      throw new VencError('FileNotFoundError', 'There is no such file.', { cause: error });
    throw new VencError('UnsupportedInputError', `The file cannot be read (${code}).`, { cause: error });
  }
}

/**
 * Reads a file in pieces, once and in order. `read` gets the bytes that it has not consumed yet, and returns how many
 * it consumes, which may be more than there are, or null to stop. Resolves to false if it stopped, and if the file
 * cannot be read to its end.
 */
export async function scanFile(
  path: string,
  signal: AbortSignal,
  read: (bytes: Buffer) => number | null,
): Promise<boolean> {
  let rest: Buffer = Buffer.alloc(0);
  let skippedBytes = 0;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024, signal })) {
      const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const consumedBytes = read(bytes.subarray(skippedBytes));
      if (consumedBytes === null) return false;
      const at = skippedBytes + consumedBytes;
      rest = bytes.subarray(Math.min(at, bytes.length));
      skippedBytes = Math.max(0, at - bytes.length);
    }
  } catch {
    return false;
  }
  return true;
}
