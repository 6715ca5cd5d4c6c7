import { constants } from 'node:fs';
import { type FileHandle, open, stat, symlink } from 'node:fs/promises';
import { VencError } from '../../../src/shared/errors.js';
import type { FileFacts } from '../../jobs/job.js';
import { copyFrom } from '../../transfer/copy-file.js';
import { diskFault, ownDiskFault } from '../../transfer/map-disk-error.js';
import { createMeter } from '../../transfer/progress-reporter.js';
import { measure } from '../../transfer/read-file.js';
import type { Transfer } from '../../transfer/transfer.js';
import { isOpenedBelow, type RootFolders, resolveBelow } from './roots.js';

/**
 * Brings a file of this machine to `toPath`. Below roots it is copied: a link to it would let whoever may write it change it
 * between being inspected and being encoded. A program that works on its own user's files (`anywhere`) only makes a symbolic link,
 * as ffmpeg on its own would read the file in place too, and a second copy of 20 GB helps nobody.
 */
export async function takeFile(
  roots: RootFolders,
  path: string,
  toPath: string,
  transfer: Transfer,
): Promise<FileFacts> {
  const { handle, realPath } = await openRegular(roots, path);
  try {
    transfer.signal.throwIfAborted();
    if (roots !== 'anywhere') return await copyFrom(handle, toPath, { transfer });
    const facts = await measure(handle, createMeter(transfer), transfer.signal);
    transfer.signal.throwIfAborted();
    await symlink(realPath, toPath);
    return facts;
  } catch (error) {
    transfer.signal.throwIfAborted();
    throw ownDiskFault(error, 'download');
  } finally {
    await handle.close();
  }
}

/** The size of a file that {@link takeFile} would bring, in bytes. Rejects as that would. */
export async function sizeOfFile(roots: RootFolders, path: string): Promise<number> {
  const { handle } = await openRegular(roots, path);
  try {
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

async function openRegular(
  roots: RootFolders,
  path: string,
): Promise<{ readonly handle: FileHandle; readonly realPath: string }> {
  const realPath = await resolveBelow(roots, path);
  if (realPath === null) throw outside();
  try {
    // Looked at before it is opened, because opening alone does something to some devices.
    if (!(await stat(realPath)).isFile()) throw notRegular();
    // Should it become a pipe in between, opening it must not wait for somebody to write.
    const handle = await open(realPath, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      if (!(await handle.stat()).isFile()) throw notRegular();
      if (!(await isOpenedBelow(roots, handle, realPath))) throw outside();
      return { handle, realPath };
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (error) {
    throw diskFault(error, 'download', 'The file');
  }
}

function outside(): VencError {
  return new VencError('DownloadAccessDeniedError', 'The file is not below one of the --files-root folders.');
}

function notRegular(): VencError {
  return new VencError('DownloadFailureError', 'The input is a folder or a device, not a regular file.');
}
