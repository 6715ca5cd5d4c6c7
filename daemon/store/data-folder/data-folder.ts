import { access, constants } from 'node:fs/promises';
import { dirname } from 'node:path';
import { abandonedFiles } from '../../../src/shared/util/atomic-files.js';
import {
  chownToOwnerOf,
  type Disk,
  makeFolder,
  realDisk,
  syncNewFolders,
} from '../../../src/shared/util/disk.js';
import type { DataLayout } from './layout.js';

/**
 * Creates a data folder, accessible only to its owner, if it is missing. Makes its name survive a power cut
 * as far as this user can. Rejects with the system's error if the folder cannot be created, read or written.
 */
export async function makeDataFolder(folder: string): Promise<void> {
  const first = await makeFolder(folder, 0o700);
  await syncNewFolders(folder, first).catch(() => undefined);
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
}

/** The real disk, with new files given to the owner of this folder, whichever user writes them. */
export function diskOfOwner(folder: string): Disk {
  return {
    ...realDisk,
    async create(path) {
      const file = await realDisk.create(path);
      await chownToOwnerOf(folder, path);
      return file;
    },
  };
}

/**
 * Deletes the temporary files of crashed writes in the data folder and in `jobs`. (Those in the folders of
 * jobs are deleted when the folders are read.)
 */
export async function removeTemporaryFiles(layout: DataLayout, disk: Disk): Promise<void> {
  await removeAbandonedFiles(layout.folder, disk);
  await removeAbandonedFiles(dirname(layout.index), disk);
}

/**
 * Deletes the temporary files of killed processes in one folder. Files that cannot be deleted stay for the
 * next time.
 */
export async function removeAbandonedFiles(folder: string, disk: Disk): Promise<void> {
  for (const path of await abandonedFiles(folder)) await disk.remove(path).catch(() => undefined);
}
