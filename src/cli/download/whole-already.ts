import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FileToSave } from './files-to-save.js';

/** A file of a job, and where it is to go. */
export interface PlacedFile {
  readonly file: FileToSave;
  readonly path: string;
}

/** Those that are where they are to go already, byte for byte as the service tells it: their MD5 proves it. */
export async function wholeAlready<Placed extends PlacedFile>(files: readonly Placed[]): Promise<Placed[]> {
  const whole: Placed[] = [];
  for (const placed of files) if (await isWhole(placed)) whole.push(placed);
  return whole;
}

async function isWhole({ file, path }: PlacedFile): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  if (file.md5 === null || found?.isFile() !== true) return false;
  if (file.sizeBytes !== null && file.sizeBytes !== found.size) return false;
  const hash = createHash('md5');
  try {
    for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) hash.update(piece);
  } catch {
    return false;
  }
  return hash.digest('hex') === file.md5;
}
