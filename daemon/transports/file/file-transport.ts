import { constants } from 'node:fs';
import { type FileHandle, lstat, open, stat, symlink, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { VencError } from '../../../src/shared/errors.js';
import { identityOf } from '../../../src/shared/util/disk.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import type { FileFacts } from '../../jobs/job.js';
import { mapDiskError, mapLocalDiskError } from '../../transfer/disk-errors.js';
import { copyToFile } from '../../transfer/partial-file.js';
import { measureHandle, sizeOnly } from '../../transfer/read-file.js';
import { createProgressReporter, type Transfer } from '../../transfer/transfer.js';
import type { OpenFile, Transport } from '../transport.js';
import { deliverFile } from './deliver-file.js';
import { isOpenedBelow, parseFileUrl, type RootFolders, resolveBelow } from './file-url.js';

const notAllowedMessage =
  'names a file on the machine of the daemon, which allows such files only if it is started with --files-root DIR';
const outsideRootsMessage = 'must name a file below one of the --files-root folders';
const notRegularMessage = 'must name a regular file, not a folder or a device';

/**
 * The transport of local files (contract, section 9). Files must be below the roots after symbolic links are resolved;
 * this is checked when a request names them and again when they are opened. Without roots, the scheme is rejected with
 * a message that says how to allow it. Without `hasMd5`, a file that is not copied is not read for its MD5; with
 * `outputs`, only one that is delivered is.
 */
export function createFileTransport(
  roots: RootFolders,
  { hasMd5 = true }: { readonly hasMd5?: boolean | 'outputs' } = {},
): Transport {
  return {
    schemes: ['file'],
    async checkInput(url) {
      const parsed = parseFileUrl(url);
      if (roots.length === 0) return notAllowedMessage;
      if (!parsed.ok) return parsed.validationError;
      const path = await resolveBelow(roots, parsed.path);
      if (path === null) return outsideRootsMessage;
      // A missing file does not make the request invalid: it may be created before the job starts.
      const stats = await stat(path).catch(() => null);
      return stats === null || stats.isFile() ? null : notRegularMessage;
    },
    async checkOutput(url) {
      const parsed = parseFileUrl(url);
      if (roots.length === 0) return notAllowedMessage;
      if (!parsed.ok) return parsed.validationError;
      if ((await resolveBelow(roots, dirname(parsed.path))) === null) return outsideRootsMessage;
      const stats = await lstat(parsed.path).catch(() => null);
      return stats === null || stats.isFile() || stats.isSymbolicLink() ? null : notRegularMessage;
    },
    async download(from, toPath, transfer) {
      const parsed = parseFileUrl(from);
      if (!parsed.ok) throw new VencError('DownloadFailureError', `The input ${parsed.validationError}.`);
      return downloadFile(roots, parsed.path, toPath, {
        ...transfer,
        needsMd5: hasMd5 === true || transfer.needsMd5 === true,
      });
    },
    async sizeOf(from) {
      const parsed = parseFileUrl(from);
      if (!parsed.ok) throw new VencError('DownloadFailureError', `The input ${parsed.validationError}.`);
      return sizeOfFile(roots, parsed.path);
    },
    async open(from) {
      const parsed = parseFileUrl(from);
      if (!parsed.ok) throw new VencError('DownloadFailureError', `The input ${parsed.validationError}.`);
      return openFile(roots, parsed.path);
    },
    async openHere(from) {
      const parsed = parseFileUrl(from);
      if (!parsed.ok) throw new VencError('DownloadFailureError', `The input ${parsed.validationError}.`);
      return (await openRegularFile(roots, parsed.path)).handle;
    },
    async upload(fromPath, to, transfer) {
      const parsed = parseFileUrl(to);
      if (!parsed.ok) throw new VencError('UploadFailureError', `The destination ${parsed.validationError}.`);
      return deliverFile(roots, fromPath, parsed.path, { ...transfer, needsMd5: hasMd5 !== false });
    },
    async remove(url, isOwn) {
      const parsed = parseFileUrl(url);
      if (parsed.ok) await removeFile(roots, parsed.path, isOwn);
    },
  };
}

/**
 * Deletes a delivered file below the roots. No-op if it is absent, or if `isOwn` says that another file has its name
 * now.
 */
async function removeFile(
  roots: RootFolders,
  path: string,
  isOwn: (file: string) => boolean = () => true,
): Promise<void> {
  const folder = await resolveBelow(roots, dirname(path));
  if (folder === null) {
    throw new VencError(
      'UploadAccessDeniedError',
      'The destination is not below one of the --files-root folders.',
    );
  }
  const resolved = join(folder, basename(path));
  const found = await lstat(resolved, { bigint: true }).then(identityOf, () => null);
  if (found === null || !isOwn(found)) return;
  await unlink(resolved).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw mapDiskError(error, 'upload', 'The destination');
  });
}

/**
 * Copies a local file below the roots to `toPath`. A link would let any process with write access change the file
 * between its inspection and its encoding. A program that works on the files of its own user (`anywhere`) creates a
 * symbolic link instead: ffmpeg run by hand would also read the file in place, and a copy may take 20 GB.
 */
async function downloadFile(
  roots: RootFolders,
  path: string,
  toPath: string,
  transfer: Transfer,
): Promise<FileFacts> {
  const { handle, realPath } = await openRegularFile(roots, path);
  try {
    transfer.signal.throwIfAborted();
    if (roots !== 'anywhere') return await copyToFile(handle, toPath, { transfer });
    const facts =
      transfer.needsMd5 === false
        ? await sizeOnly(handle, transfer)
        : await measureHandle(handle, createProgressReporter(transfer), transfer.signal);
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
async function sizeOfFile(roots: RootFolders, path: string): Promise<number> {
  const { handle } = await openRegularFile(roots, path);
  try {
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

/** Opens a file for reading. Rejects with the errors of {@link downloadFile}. */
async function openFile(roots: RootFolders, path: string): Promise<OpenFile> {
  const { handle } = await openRegularFile(roots, path);
  const { size: sizeBytes, mtime: modifiedAt } = await handle.stat();
  return {
    sizeBytes,
    modifiedAt,
    read: (range) => handle.createReadStream({ ...range, autoClose: false }),
    close: () => handle.close(),
  };
}

/**
 * Opens a regular file below the roots for reading. `realPath` is its path without links. Rejects with the errors of a
 * download.
 */
export async function openRegularFile(
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
