import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FileToSave } from './files-to-save.js';

/** A file of a job, and where it is to go. */
export interface PlacedFile {
  readonly file: FileToSave;
  readonly path: string;
}

/** The bytes of a file as the service has it now; rejects where it does not send them. */
export type ReadFile = (file: FileToSave) => Promise<AsyncIterable<Buffer>>;

/**
 * The files that are in their place already, byte for byte. Where the service names no MD5, as of thumbnails, its file is read and compared.
 */
export async function wholeAlready<Placed extends PlacedFile>(
  files: readonly Placed[],
  readFile: ReadFile,
): Promise<Placed[]> {
  const whole: Placed[] = [];
  for (const placed of files) if (await isWhole(placed, readFile)) whole.push(placed);
  return whole;
}

async function isWhole({ file, path }: PlacedFile, readFile: ReadFile): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true) return false;
  if (file.sizeBytes !== null && file.sizeBytes !== found.size) return false;
  try {
    const expected = file.md5 ?? (await md5Of(await readFile(file)));
    return (await md5Of(createReadStream(path) as AsyncIterable<Buffer>)) === expected;
  } catch {
    return false;
  }
}

async function md5Of(pieces: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('md5');
  for await (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}
