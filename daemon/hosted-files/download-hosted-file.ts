import { link, lstat, open, unlink } from 'node:fs/promises';
import { systemCode } from '../../src/shared/util/system-code.js';
import type { FileFacts } from '../jobs/job.js';
import { copyToFile } from '../transfer/copy-to-file.js';
import { mapLocalDiskError } from '../transfer/disk-errors.js';
import { measureFile } from '../transfer/read-file.js';
import { createProgressReporter, type Transfer } from '../transfer/transfer.js';
import { hostedFilePath, isFileRef, missingFileError } from './file-ref.js';
import type { FileRef } from './hosted-file-store.js';
import { type HostedFileStoreState, readRecord } from './hosted-file-store-state.js';

/**
 * Copies a file of the store to a path. Files in the store are never modified, so a hard link replaces a copy, and it stays valid after
 * the store deletes its own name.
 */
export async function downloadHostedFile(
  state: HostedFileStoreState,
  ref: FileRef,
  toPath: string,
  transfer: Transfer,
): Promise<FileFacts> {
  if (!isFileRef(ref)) throw missingFileError('unknown');
  try {
    transfer.signal.throwIfAborted();
    const path = hostedFilePath(state.folder, ref);
    return (await tryLink(path, toPath))
      ? await readLinkedFacts(state, ref.token, toPath, transfer)
      : await copyFile(path, toPath, transfer);
  } catch (error) {
    transfer.signal.throwIfAborted();
    if (systemCode(error) === 'ENOENT') throw missingFileError('unknown');
    throw mapLocalDiskError(error, 'download');
  }
}

async function tryLink(path: string, toPath: string): Promise<boolean> {
  return link(path, toPath).then(
    () => true,
    // The path is on another volume, or the file system has no hard links.
    () => false,
  );
}

/** Returns the size and MD5 measured when the file was received. Measures the file again only if they are missing. */
async function readLinkedFacts(
  state: HostedFileStoreState,
  token: string,
  path: string,
  transfer: Transfer,
): Promise<FileFacts> {
  const { size: sizeBytes } = await lstat(path);
  const recorded = await readRecord(state, token);
  if (recorded === null || recorded.sizeBytes !== sizeBytes) {
    return measureFile(path, createProgressReporter(transfer), transfer.signal).catch(
      async (error: unknown) => {
        await unlink(path);
        throw error;
      },
    );
  }
  createProgressReporter(transfer).complete(sizeBytes);
  return { sizeBytes, md5: recorded.md5 };
}

async function copyFile(path: string, toPath: string, transfer: Transfer): Promise<FileFacts> {
  const handle = await open(path, 'r');
  try {
    return await copyToFile(handle, toPath, { transfer });
  } finally {
    await handle.close();
  }
}
