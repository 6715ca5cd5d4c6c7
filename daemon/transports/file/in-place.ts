import type { BigIntStats } from 'node:fs';
import { type FileHandle, readlink, statfs, symlink } from 'node:fs/promises';
import { VencError } from '../../../src/shared/errors.js';
import { identityOf, isSameFile } from '../../../src/shared/util/disk.js';
import { holdFile } from '../../../src/shared/util/held-files.js';
import type { FileFacts, InPlaceFile } from '../../jobs/job.js';
import { mapDiskError, mapLocalDiskError } from '../../transfer/disk-errors.js';
import { measureHandle, sizeOnly } from '../../transfer/read-file.js';
import { createProgressReporter, type Transfer } from '../../transfer/transfer.js';
import { openRegularFile } from './file-transport.js';
import { descriptorPath, parseFileUrl } from './file-url.js';

/** What a file is at a moment: which one, how long, and when its content last changed. */
type FileState = Omit<InPlaceFile, 'daemonId'>;

/** Numbers of file systems whose files have no content of their own: proc, sysfs, cgroup, debugfs and their like. */
const generatedFileSystems: ReadonlySet<number> = new Set([
  ...[0x9fa0, 0x62656572, 0x27e0eb, 0x63677270, 0x64626720, 0x74726163, 0x73636673, 0xcafe4a11],
]);

/**
 * Opens a file to be read where it is, and returns its state. Rejects unless it is a regular file on a disk, no part of
 * its path is a symbolic link, and programs without privileges can read it: a sandboxed ffmpeg of a daemon that runs as
 * root has none. Afterwards only the handle counts: the path may be given to another file at any time.
 */
export async function openInPlace(
  path: string,
): Promise<{ readonly handle: FileHandle; readonly state: FileState }> {
  const { handle } = await openRegularFile('anywhere', path);
  try {
    const reject = (reason: string): never => {
      throw new VencError('DownloadAccessDeniedError', `The file ${reason}, so it is not read in place.`);
    };
    // Only Linux has these links, which programs follow to the open file itself.
    const opened = await readlink(descriptorPath(handle)).catch(() => reject('cannot be passed to ffmpeg'));
    if (opened !== path) reject('has a symbolic link in its path');
    const { type } = await statfs(descriptorPath(handle));
    if (generatedFileSystems.has(type)) reject('is not on a disk');
    const stats = await handle.stat({ bigint: true });
    if (process.geteuid?.() === 0 && !isReadableByMode(stats)) reject('is readable only with privileges');
    return { handle, state: stateOf(stats) };
  } catch (error) {
    await handle.close();
    throw mapDiskError(error, 'download', 'The file');
  }
}

/** Whether the user and the groups of this process may read a file. */
function isReadableByMode({ uid, gid, mode }: BigIntStats): boolean {
  const groups = [process.getegid?.() ?? -1, ...(process.getgroups?.() ?? [])];
  if (Number(uid) === process.geteuid?.()) return (mode & 0o400n) !== 0n;
  return (mode & (groups.includes(Number(gid)) ? 0o040n : 0o004n)) !== 0n;
}

function stateOf(stats: BigIntStats): FileState {
  return {
    identity: identityOf(stats),
    sizeBytes: Number(stats.size),
    modifiedNs: String(stats.mtimeNs),
  };
}

/** Whether two states are of one file whose content has not changed. */
export function isSameState(one: FileState, other: FileState): boolean {
  return (
    isSameFile(one.identity, other.identity) &&
    one.sizeBytes === other.sizeBytes &&
    one.modifiedNs === other.modifiedNs
  );
}

/** A file that is read where it is. The link to it is valid until it is closed. */
export interface HeldFile {
  readonly facts: FileFacts;
  readonly close: () => Promise<void>;
}

/**
 * Opens the file of a `file:` URL that a client proved to be able to read, if it is still the same, and links it at
 * `toPath`. The link leads to the open file and not to its path, so that whatever gets the path later is not read: this
 * process follows it, and so do the programs that inherit the descriptor (`holdFile`).
 */
export async function holdInPlace(
  url: string,
  expected: InPlaceFile,
  toPath: string,
  transfer: Transfer,
): Promise<HeldFile> {
  const handle = await openProven(url, expected);
  try {
    const facts =
      transfer.needsMd5 === true
        ? await measureHandle(handle, createProgressReporter(transfer), transfer.signal)
        : await sizeOnly(handle, transfer);
    transfer.signal.throwIfAborted();
    const release = await linkOpenFile(handle, toPath);
    return {
      facts,
      async close() {
        release();
        await handle.close();
      },
    };
  } catch (error) {
    await handle.close();
    transfer.signal.throwIfAborted();
    throw mapLocalDiskError(error, 'download');
  }
}

/**
 * Links an open file at a path, for this process and for the programs that inherit the descriptor (`holdFile`). The
 * returned function ends that, and must be called before the file is closed.
 */
export async function linkOpenFile(handle: FileHandle, toPath: string): Promise<() => void> {
  await symlink(descriptorPath(handle), toPath);
  return holdFile(toPath, handle.fd);
}

/**
 * Opens the file of a `file:` URL that a client proved to be able to read. Rejects if it is not the same any more.
 */
export async function openProven(url: string, expected: InPlaceFile): Promise<FileHandle> {
  const parsed = parseFileUrl(url);
  if (!parsed.ok) throw new VencError('DownloadFailureError', `The input ${parsed.validationError}.`);
  const { handle, state } = await openInPlace(parsed.path);
  if (isSameState(state, expected)) return handle;
  await handle.close();
  throw changedError();
}

function changedError(): VencError {
  return new VencError(
    'DownloadFailureError',
    'The file was replaced or changed after it was submitted to be read in place: submit it again.',
  );
}
