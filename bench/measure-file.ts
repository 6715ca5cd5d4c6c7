import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/** Size and checksum that identify a file's content. */
export interface FileDigest {
  readonly sizeBytes: number;
  readonly md5: string;
}

/** Size and MD5 of the file at a path. */
export async function measureFile(path: string): Promise<FileDigest> {
  const hash = createHash('md5');
  await pipeline(createReadStream(path), hash);
  return { sizeBytes: (await stat(path)).size, md5: hash.digest('hex') };
}

/**
 * Rejects if the file at a path differs from the file that was sent, so that incomplete transfers are not measured.
 */
export async function assertSameFile(sent: FileDigest, path: string): Promise<void> {
  const found = await measureFile(path);
  if (found.sizeBytes !== sent.sizeBytes || found.md5 !== sent.md5)
    throw new Error(`${path} is not the file that was sent, but ${JSON.stringify(found)}`);
}
