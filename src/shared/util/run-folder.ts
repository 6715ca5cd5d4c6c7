import { rmSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VencError } from '../errors.js';
import { isAbandonedLock, tryFileLock } from './lock/file-lock.js';
import { diskReason } from './system-code.js';

/** The name of a folder that `mkdtemp` creates here. */
const folderName = /^venc-[A-Za-z0-9]{6}$/;
const lockName = 'lock';

/** The folders of this process. One handler removes them when it exits, however many there are. */
const folders = new Set<string>();

function removeFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Passes a new temporary folder to `use` and removes it afterwards, also when the process exits early. A process that
 * is killed cannot: the next run removes its folder, which has the lock of a process that has ended. Rejects with
 * `UnavailableError` if the folder cannot be created.
 */
export async function withRunFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  await removeAbandonedFolders();
  const folder = await createFolder();
  if (folders.size === 0) process.on('exit', removeFolders);
  folders.add(folder);
  try {
    const lock = await tryFileLock(join(folder, lockName));
    try {
      return await use(folder);
    } finally {
      await removeFolder(folder);
      if (lock.kind === 'taken') await lock.lock.release();
    }
  } finally {
    folders.delete(folder);
    if (folders.size === 0) process.off('exit', removeFolders);
    await rm(folder, { recursive: true, force: true });
  }
}

async function createFolder(): Promise<string> {
  const parent = tmpdir();
  try {
    return await mkdtemp(join(parent, 'venc-'));
  } catch (error) {
    const message = `No temporary folder can be created in ${parent}: ${diskReason(error, 'write')}.`;
    const hint = 'set TMPDIR to a folder that you can write to';
    throw new VencError('UnavailableError', message, { cause: error, hint });
  }
}

/**
 * Removes the folders of this user's runs that were killed. Leaves the folders of running processes, of other users,
 * and those without a lock: an earlier version, which wrote none, may still be using them. Never rejects.
 */
async function removeAbandonedFolders(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((each) => folderName.test(each))) {
    const folder = join(tmpdir(), name);
    try {
      const stats = await lstat(folder);
      const isOwn = stats.isDirectory() && stats.uid === process.getuid?.();
      if (isOwn && (await isAbandonedLock(join(folder, lockName)))) await removeFolder(folder);
    } catch {
      // Another run removes it at the same time, or it cannot be removed: the next run tries again.
    }
  }
}

/** Removes the lock last: a removal that is interrupted can be continued. */
async function removeFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name !== lockName) await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 });
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
