import { chown, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { VencError } from '../../../src/shared/errors.js';
import { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { realDisk } from '../../../src/shared/util/disk.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import { toOpenError } from '../../store/data-folder/disk-errors.js';
import { dataLayout } from '../../store/data-folder/layout.js';
import { lockDataFolder } from '../../store/data-folder/lock.js';
import { raiseNextId } from '../../store/data-folder/sequence.js';
import { TreeCopy } from './copy-tree.js';
import { type BackupManifest, damagedError, dataOf, latestSnapshot } from './snapshot.js';

/** What was restored. */
interface RestoreResult {
  /** The folder of the backup. */
  readonly backup: string;
  readonly manifest: BackupManifest;
}

/**
 * Restores the latest backup of a folder of backups, or one backup, into a data folder, which is created if it is
 * missing. Rejects with `InUseError` while a daemon uses the data folder, with `UsageError` if it has jobs or if there
 * is no complete backup. Until the last step the data folder has no jobs: a restore that was interrupted can be
 * repeated.
 */
export async function restore(backupFolder: string, dataFolder: string): Promise<RestoreResult> {
  const snapshot = await latestSnapshot(backupFolder);
  if (snapshot === null)
    throw new VencError('UsageError', `There is no backup in ${backupFolder}.`, {
      hint: 'Name the folder that was given to venc backup.',
    });
  const lock = await lockDataFolder(dataFolder);
  const staged = join(dataFolder, '.restore');
  try {
    await requireNoJobs(dataFolder);
    await rm(staged, { recursive: true, force: true });
    const copy = new TreeCopy(dataOf(snapshot.folder), staged);
    await copy.add('');
    const sizes = new Map(copy.files.map(({ path, sizeBytes }) => [path, sizeBytes]));
    for (const { path, sizeBytes } of snapshot.manifest.files)
      if (sizes.get(path) !== sizeBytes) throw damagedError(`data/${path} is missing or incomplete`);
    await raiseNextId(new AtomicFiles(realDisk), {
      from: [dataLayout(staged).sequence, dataLayout(dataFolder).sequence],
      to: dataLayout(staged).sequence,
    });
    await giveToOwnerOf(dataFolder, staged);
    await copy.sync();
    await moveAll(staged, dataFolder);
    return { backup: snapshot.folder, manifest: snapshot.manifest };
  } catch (error) {
    throw toOpenError(error, dataFolder);
  } finally {
    await rm(staged, { recursive: true, force: true });
    await lock.release();
  }
}

/** Moves everything into the data folder, jobs last: with one step, all of them are there. */
async function moveAll(from: string, to: string): Promise<void> {
  for (const name of await readdir(from))
    if (name !== 'jobs') await moveInto(join(from, name), join(to, name));
  await realDisk.syncFolder(to);
  await removeEmptyFolders(join(to, 'jobs'));
  await rename(join(from, 'jobs'), join(to, 'jobs')).catch((error: unknown) => {
    // With a database there may be no folder of jobs.
    if (systemCode(error) !== 'ENOENT') throw error;
  });
  await realDisk.syncFolder(to);
}

/** Renames a file or folder. Folders that exist keep their content. */
async function moveInto(from: string, to: string): Promise<void> {
  const isMerged = (await isFolder(from)) && (await isFolder(to));
  if (!isMerged) return rename(from, to);
  for (const name of await readdir(from)) await moveInto(join(from, name), join(to, name));
  await realDisk.syncFolder(to);
}

async function requireNoJobs(dataFolder: string): Promise<void> {
  const layout = dataLayout(dataFolder);
  for (const folder of [layout.journal, layout.active, layout.done, layout.damaged]) {
    const names = await readdir(folder).catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    });
    if (names.length === 0) continue;
    throw new VencError('UsageError', `The data folder ${dataFolder} has jobs already.`, {
      hint: 'Restore into an empty folder with --data, or move this one away.',
    });
  }
}

/** Removes the folders of jobs, which have no jobs, and the index. */
async function removeEmptyFolders(jobs: string): Promise<void> {
  const names = await readdir(jobs).catch(() => []);
  for (const name of names) {
    const path = join(jobs, name);
    if (await isFolder(path)) await rmdir(path);
    else await rm(path);
  }
  if (names.length > 0 || (await isFolder(jobs))) await rmdir(jobs);
}

/**
 * As root, gives everything to the owner of the data folder, who runs the daemon; a new one has the owner of the backed
 * up folder.
 */
async function giveToOwnerOf(dataFolder: string, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(dataFolder);
  if (uid === 0) {
    const backedUp = await stat(path);
    return chown(dataFolder, backedUp.uid, backedUp.gid);
  }
  const names = await readdir(path, { recursive: true });
  for (const each of ['', ...names]) await chown(join(path, each), uid, gid);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
