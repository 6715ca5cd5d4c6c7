import { constants } from 'node:fs';
import { type FileHandle, open, stat, symlink } from 'node:fs/promises';
import { VencError } from '../../../src/shared/errors.js';
import type { FileFacts } from '../../jobs/job.js';
import { copyToFile } from '../../transfer/copy-to-file.js';
import { mapDiskError, mapLocalDiskError } from '../../transfer/disk-errors.js';
import { measureHandle } from '../../transfer/read-file.js';
import { createProgressReporter, type Transfer } from '../../transfer/transfer.js';
import type { OpenFile } from '../transport.js';
import { isOpenedBelow, type RootFolders, resolveBelow } from './file-url.js';

/**
 * Copies a local file below the roots to `toPath`. A link would let any process with write access change the file between its inspection
 * and its encoding. A program that works on the files of its own user (`anywhere`) creates a symbolic link instead: ffmpeg run by hand
 * would also read the file in place, and a copy may take 20 GB.
 */
export async function downloadFile(
  roots: RootFolders,
  path: string,
  toPath: string,
  transfer: Transfer,
): Promise<FileFacts> {
  const { handle, realPath } = await openRegularFile(roots, path);
  try {
    transfer.signal.throwIfAborted();
    if (roots !== 'anywhere') return await copyToFile(handle, toPath, { transfer });
    const facts = await measureHandle(handle, createProgressReporter(transfer), transfer.signal);
    transfer.signal.throwIfAborted();
    await symlink(realPath, toPath);
    return facts;
  } catch (error) {
    transfer.signal.throwIfAborted();
    throw mapLocalDiskError(error, 'download');
  } finally {
    await handle.close();
  }
}

/** The size of a file in bytes. Rejects with the errors of {@link downloadFile}. */
export async function sizeOfFile(roots: RootFolders, path: string): Promise<number> {
  const { handle } = await openRegularFile(roots, path);
  try {
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

/** Opens a file for reading. Rejects with the errors of {@link downloadFile}. */
export async function openFile(roots: RootFolders, path: string): Promise<OpenFile> {
  const { handle } = await openRegularFile(roots, path);
  const { size: sizeBytes, mtime: modifiedAt } = await handle.stat();
  return {
    sizeBytes,
    modifiedAt,
    read: (range) => handle.createReadStream({ ...range, autoClose: false }),
    close: () => handle.close(),
  };
}

async function openRegularFile(
  roots: RootFolders,
  path: string,
): Promise<{ readonly handle: FileHandle; readonly realPath: string }> {
  const realPath = await resolveBelow(roots, path);
  if (realPath === null) throw outsideRootsError();
  try {
    // Check before opening, because opening some devices has side effects.
    if (!(await stat(realPath)).isFile()) throw notRegularFileError();
    // O_NONBLOCK: if the file was replaced by a pipe, open must not wait for a writer.
    const handle = await open(realPath, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      if (!(await handle.stat()).isFile()) throw notRegularFileError();
      if (!(await isOpenedBelow(roots, handle, realPath))) throw outsideRootsError();
      return { handle, realPath };
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    throw mapDiskError(error, 'download', 'The file');
  }
}

function outsideRootsError(): VencError {
  return new VencError('DownloadAccessDeniedError', 'The file is not below one of the --files-root folders.');
}

function notRegularFileError(): VencError {
  return new VencError('DownloadFailureError', 'The input is a folder or a device, not a regular file.');
}
