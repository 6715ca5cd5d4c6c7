import { mkdir, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { VencError } from '../../../src/shared/errors.js';
import { isTemporaryName } from '../../../src/shared/util/atomic-files.js';
import { makeFolder, readTextFile, realDisk } from '../../../src/shared/util/disk.js';
import { tryFileLock } from '../../../src/shared/util/lock/file-lock.js';
import { holderName } from '../../../src/shared/util/lock/lock-holder.js';
import { toFolderError } from '../../store/data-folder/disk-errors.js';
import { dataLayout } from '../../store/data-folder/layout.js';
import { TreeCopy } from './copy-tree.js';
import { dataOf, latestSnapshot, removeOlderSnapshots, unfinishedName, writeManifest } from './snapshot.js';

/** What a backup did. */
interface BackupResult {
  /** The folder of the backup. */
  readonly folder: string;
  readonly fileCount: number;
  /** How many of its files are linked to those of the previous backup. */
  readonly unchangedCount: number;
  readonly copiedBytes: number;
  /** Whether the records of the daemon are in a database, of which the backup has nothing. */
  readonly usesDatabase: boolean;
  /** Whether the key of that database is in the backup. */
  readonly hasDatabaseKey: boolean;
}

/**
 * Backs up a data folder into a folder of backups, also while a daemon uses it. Everything that was acknowledged before
 * the call is in the backup. Files that are unchanged since the previous backup are hard links to it; that backup is
 * removed when the new one is complete. Rejects with `InUseError` if another backup into the folder is running,
 * `UsageError` if there is no data folder or the backup cannot be written.
 */
export async function backUp(
  dataFolder: string,
  backupFolder: string,
  options: { readonly now: () => Date; readonly usesDatabase: boolean },
): Promise<BackupResult> {
  await requireDataFolder(dataFolder);
  try {
    await makeFolder(backupFolder, 0o700);
    await requireApart(dataFolder, backupFolder);
    const lock = await tryFileLock(join(backupFolder, 'lock'));
    if (lock.kind === 'busy')
      throw new VencError(
        'InUseError',
        `Another backup into ${backupFolder} is running: ${holderName(lock.holder)}.`,
      );
    try {
      return await writeSnapshot(dataFolder, backupFolder, options);
    } finally {
      await rm(join(backupFolder, unfinishedName), { recursive: true, force: true });
      await lock.lock.release();
    }
  } catch (error) {
    throw toFolderError(error, `backup folder ${backupFolder}`, 'Choose another folder.');
  }
}

async function writeSnapshot(
  dataFolder: string,
  backupFolder: string,
  { now, usesDatabase: isDatabaseGiven }: { readonly now: () => Date; readonly usesDatabase: boolean },
): Promise<BackupResult> {
  const unfinished = join(backupFolder, unfinishedName);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  const createdAt = now().toISOString();
  const earlier = await latestSnapshot(backupFolder);
  const copy = new TreeCopy(
    dataFolder,
    dataOf(unfinished),
    earlier === null
      ? null
      : {
          folder: dataOf(earlier.folder),
          files: new Map(earlier.manifest.files.map((file) => [file.path, file])),
        },
  );
  await copyDataFolder(dataFolder, copy);
  await copy.sync();
  const hasDatabaseKey = copy.files.some(({ path }) => path === 'database-key');
  const usesDatabase = isDatabaseGiven || hasDatabaseKey;
  await writeManifest(unfinished, { version: 1, createdAt, dataFolder, usesDatabase, files: copy.files });
  const number = (earlier?.number ?? 0) + 1;
  const folder = join(backupFolder, `${number}-${createdAt.replaceAll(':', '-')}`);
  await rename(unfinished, folder);
  await realDisk.syncFolder(backupFolder);
  await removeOlderSnapshots(backupFolder, number);
  const { linkedCount: unchangedCount, copiedBytes } = copy;
  return {
    ...{ folder, fileCount: copy.files.length, unchangedCount, copiedBytes },
    ...{ usesDatabase, hasDatabaseKey },
  };
}

/**
 * Copies a data folder in an order in which no file refers to one that is missing: jobs before their uploads and hosted
 * files, documents before their keys, and last the sequence, which is ahead of all ids.
 */
async function copyDataFolder(dataFolder: string, copy: TreeCopy): Promise<void> {
  const layout = dataLayout(dataFolder);
  const within = (path: string) => relative(dataFolder, path);
  const [active, done] = [within(layout.active), within(layout.done)];
  // First: a change that is no longer in the journal is in the file of its job.
  await copy.add(within(layout.journal), isLeftOut);
  // A job that ends or is resubmitted meanwhile moves from one folder to the other. The store opens the newer of two
  // files.
  for (const folder of [active, done, active, done, active]) await copy.add(folder, isLeftOut);
  const last = [layout.credentialsKey, layout.databaseKey, layout.sequence].map(within);
  const isLater = new Set([dirname(active), ...last]);
  await copy.add('', (path) => isLeftOut(path) || isLater.has(path));
  for (const path of last) await copy.add(path);
}

/** What only a running daemon needs: locks, addresses, work in progress, and what it can make again. */
const leftOut: ReadonlySet<string> = new Set([
  ...['lock', 'lock+', 'accounts.lock', 'accounts.lock+', 'daemon.json', 'leftovers', 'lost+found'],
  ...['scratch', 'worker', 'worker-files', '.restore', join('jobs', 'index'), join('jobs', 'changes.json')],
  ...[join('hosted', '.unfinished'), join('uploads', '.unfinished'), join('uploads', '.parts')],
]);

function isLeftOut(path: string): boolean {
  return leftOut.has(path) || isTemporaryName(basename(path));
}

async function requireDataFolder(folder: string): Promise<void> {
  const layout = dataLayout(folder);
  for (const path of [layout.accounts, layout.ownerKey, layout.folderId])
    if ((await readTextFile(path).catch(() => '')) !== null) return;
  throw new VencError('UsageError', `${folder} is not the data folder of a daemon.`, {
    hint: 'Name the data folder with --data or VENC_DATA.',
  });
}

/** A backup in the data folder would contain itself. */
async function requireApart(dataFolder: string, backupFolder: string): Promise<void> {
  const [data, backup] = await Promise.all([realpath(dataFolder), realpath(backupFolder)]);
  if (`${backup}/`.startsWith(`${data}/`))
    throw new VencError('UsageError', `The backup folder ${backupFolder} is in the data folder.`, {
      hint: 'Choose a folder on another disk.',
    });
}
