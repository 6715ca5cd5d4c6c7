import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** What tells one file from another. */
export interface FileDigest {
  readonly sizeBytes: number;
  readonly md5: string;
}

/** Size and sum of the file at a path. */
export async function measureFile(path: string): Promise<FileDigest> {
  const hash = createHash('md5');
  await pipeline(createReadStream(path), hash);
  return { sizeBytes: (await stat(path)).size, md5: hash.digest('hex') };
}

/** Rejects where the file at a path is not the one that was sent: a transfer that is not whole is none that counts. */
export async function assertSameFile(sent: FileDigest, path: string): Promise<void> {
  const found = await measureFile(path);
  if (found.sizeBytes !== sent.sizeBytes || found.md5 !== sent.md5)
    throw new Error(`${path} is not the file that was sent, but ${JSON.stringify(found)}`);
}
