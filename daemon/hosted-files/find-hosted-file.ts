import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hostedFilePath, isFileRef } from './file-ref.js';
import type { FileRef, HostedFile } from './hosted-file-store.js';
import { type HostedFileStoreState, isExpired } from './hosted-file-store-state.js';

/** The file at a place. An empty folder of a token is the trace that sweeping left: what was there is gone. */
export async function findHostedFile(state: HostedFileStoreState, ref: FileRef): Promise<HostedFile> {
  if (!isFileRef(ref)) return { state: 'unknown' };
  const path = hostedFilePath(state.folder, ref);
  const stats = await lstat(path).catch(() => null);
  if (stats === null)
    return (await isEmpty(join(state.folder, ref.token))) ? { state: 'gone' } : { state: 'unknown' };
  if (!stats.isFile()) return { state: 'unknown' };
  if (isExpired(state, stats.mtime)) return { state: 'gone' };
  return { state: 'there', path, sizeBytes: stats.size, modifiedAt: stats.mtime };
}

async function isEmpty(folder: string): Promise<boolean> {
  return readdir(folder).then(
    (names) => names.length === 0,
    () => false,
  );
}
