import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FileToSave } from './files-to-save.js';

/** A file of a job, and where it is to go. */
export interface DownloadTarget {
  readonly file: FileToSave;
  readonly path: string;
}

/** The bytes of a file as the service has it now; rejects where it does not send them. */
export type ReadFile = (file: FileToSave) => Promise<AsyncIterable<Buffer>>;

/**
 * The files that are in their place already, byte for byte. Where the service names no MD5, as of thumbnails, its file is read and compared.
 */
export async function findComplete<Placed extends DownloadTarget>(
  files: readonly Placed[],
  readFile: ReadFile,
): Promise<Placed[]> {
  const complete: Placed[] = [];
  for (const targetFile of files) if (await isComplete(targetFile, readFile)) complete.push(targetFile);
  return complete;
}

async function isComplete({ file, path }: DownloadTarget, readFile: ReadFile): Promise<boolean> {
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

async function md5Of(chunks: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('md5');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}
