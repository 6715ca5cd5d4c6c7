import { constants } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { VencError } from '../../../src/shared/errors.js';
import { fileIdentity, identityOf } from '../../../src/shared/util/disk.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import type { FileFacts } from '../../jobs/job.js';
import { mapDiskError } from '../../transfer/disk-errors.js';
import { makeFolders } from '../../transfer/folders.js';
import { copyToFile } from '../../transfer/partial-file.js';
import { measureAndFlush } from '../../transfer/read-file.js';
import type { Transfer } from '../../transfer/transfer.js';
import { isOpenedBelow, type RootFolders, resolveBelow, stablePath } from './file-url.js';

const maxAttempts = 3;

interface OpenFolder {
  readonly handle: FileHandle;
  readonly path: string;
  /** Removes the folders that were created for this delivery. */
  readonly undo: () => Promise<void>;
}

/**
 * Delivers a finished file to a path below the roots, and creates the folders of the path. The file is moved if it is
 * on the same volume; otherwise it is copied to a temporary name and renamed. It is flushed to disk before it gets its
 * final name.
 */
export async function deliverFile(
  roots: RootFolders,
  fromPath: string,
  path: string,
  transfer: Transfer,
): Promise<FileFacts> {
  // A failed concurrent delivery removes its empty folders, which may be the ones that this delivery is about to use.
  for (let attempt = 1; ; attempt += 1) {
    transfer.signal.throwIfAborted();
    try {
      return await tryDelivery(roots, fromPath, path, transfer);
    } catch (error) {
      transfer.signal.throwIfAborted();
      if (attempt < maxAttempts && systemCode(error) === 'ENOENT') continue;
      throw withFullFolder(mapDiskError(error, 'upload', 'The destination'), dirname(path));
    }
  }
}

/** Names the folder in the error for a full disk, because a machine may have several disks. */
function withFullFolder(error: VencError, folder: string): VencError {
  if (error.errorClass !== 'OutOfSpaceError') return error;
  return new VencError('OutOfSpaceError', `There is no space left in ${folder}.`, { cause: error });
}

async function tryDelivery(
  roots: RootFolders,
  fromPath: string,
  path: string,
  transfer: Transfer,
): Promise<FileFacts> {
  const folder = await openFolder(roots, dirname(path));
  try {
    return await moveOrCopy(fromPath, folder, basename(path), transfer);
  } catch (error) {
    await folder.undo();
    throw error;
  } finally {
    await folder.handle.close();
  }
}

async function moveOrCopy(
  fromPath: string,
  folder: OpenFolder,
  name: string,
  transfer: Transfer,
): Promise<FileFacts> {
  const finalPath = join(await stablePath(folder.handle, folder.path), name);
  await rejectNonRegularTarget(finalPath);
  const source = await open(fromPath, 'r');
  try {
    const from = await source.stat();
    const to = await folder.handle.stat();
    const place = (path: string) => putInPlace(path, finalPath, { name, transfer });
    if (from.dev !== to.dev) return await copyToFile(source, finalPath, { transfer, isDurable: true, place });
    const facts = await measureAndFlush(source, transfer, transfer.needsMd5 !== false);
    transfer.signal.throwIfAborted();
    const isMoved = await place(fromPath).then(() => true, rethrowUnlessCrossDevice);
    // Two mounts of one volume have the same device number, but rename between them fails with EXDEV.
    if (!isMoved) return await copyToFile(source, finalPath, { transfer, isDurable: true, place });
    await folder.handle.sync();
    return facts;
  } finally {
    await source.close();
  }
}

/** How often a name that others create and remove meanwhile is tried. */
const maxPlacements = 5;
/** Errors of file systems without hard links, and of `link` where `rename` may work. */
const noLinkCodes: ReadonlySet<string | null> = new Set([
  'EPERM',
  'EOPNOTSUPP',
  'ENOTSUP',
  'ENOSYS',
  'EMLINK',
]);

/**
 * Gives a file its final name, if the guard lets it replace what has that name. A file that appears there meanwhile is
 * not replaced unseen: `link` fails where `rename` replaces.
 */
async function putInPlace(
  path: string,
  finalPath: string,
  { name, transfer: { replacement } }: { readonly name: string; readonly transfer: Transfer },
): Promise<void> {
  if (replacement === undefined) return rename(path, finalPath);
  await replacement.remember(identityOf(await lstat(path, { bigint: true })));
  for (let attempt = 1; ; attempt += 1) {
    const existing = await identityAt(finalPath);
    if (existing !== null) {
      await replacement.requireReplaceable(existing, name);
      return rename(path, finalPath);
    }
    try {
      await link(path, finalPath);
      return await unlink(path);
    } catch (error) {
      const code = systemCode(error);
      if (noLinkCodes.has(code)) return rename(path, finalPath);
      if (code !== 'EEXIST' || attempt >= maxPlacements) throw error;
    }
  }
}

/** The identity of the file at a path, or of a link there that leads nowhere; null if there is nothing. */
async function identityAt(path: string): Promise<string | null> {
  return (
    (await fileIdentity(path)) ??
    lstat(path, { bigint: true }).then(identityOf, (error: unknown) => {
      if (systemCode(error) === 'ENOENT') return null;
      throw error;
    })
  );
}

function rethrowUnlessCrossDevice(error: unknown): false {
  if (systemCode(error) !== 'EXDEV') throw error;
  return false;
}

async function openFolder(roots: RootFolders, path: string): Promise<OpenFolder> {
  const realPath = await resolveBelow(roots, path);
  if (realPath === null) throw outsideRootsError();
  const undo = await makeFolders(realPath);
  try {
    const handle = await open(realPath, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    if (await isOpenedBelow(roots, handle, realPath)) return { handle, path: realPath, undo };
    await handle.close();
    throw outsideRootsError();
  } catch (error) {
    await undo();
    throw error;
  }
}

/**
 * Rejects devices and folders: a rename would replace a device such as /dev/null. A symbolic link is replaced, not
 * followed.
 */
async function rejectNonRegularTarget(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => null);
  if (stats === null || stats.isFile() || stats.isSymbolicLink()) return;
  throw new VencError('UploadFailureError', 'The destination is a folder or a device, not a regular file.');
}

function outsideRootsError(): VencError {
  return new VencError(
    'UploadAccessDeniedError',
    'The destination is not below one of the --files-root folders.',
  );
}
