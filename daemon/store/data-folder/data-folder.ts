import { createHash } from 'node:crypto';
import { access, constants } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { abandonedFiles, replaceFile } from '../../../src/shared/util/atomic-files.js';
import {
  chownToOwnerOf,
  type Disk,
  makeFolder,
  readTextFile,
  realDisk,
  syncNewFolders,
} from '../../../src/shared/util/disk.js';
import { randomToken } from '../../../src/shared/util/random-token.js';
import type { DataLayout } from './layout.js';

/**
 * Creates a data folder, accessible only to its owner, if it is missing. Makes its name survive a power cut as far as
 * this user can, unless `isDurable` is false. Rejects with the system's error if the folder cannot be created, read or
 * written.
 */
export async function makeDataFolder(folder: string, isDurable = true): Promise<void> {
  const first = await makeFolder(folder, 0o700);
  if (isDurable) await syncNewFolders(folder, first).catch(() => undefined);
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
}

/** A disk, with new files given to the owner of this folder, whichever user writes them. */
export function diskOfOwner(folder: string, disk: Disk = realDisk): Disk {
  return {
    ...disk,
    async create(path) {
      const file = await disk.create(path);
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

/** The id in a file, which the first process that asks for it makes. A copy of the folder has the same. */
export async function readFolderId(path: string): Promise<string> {
  const known = (await readTextFile(path))?.trim() ?? '';
  if (/^[0-9a-f]+$/.test(known)) return known;
  const id = randomToken();
  await replaceFile(path, (file) => file.write(`${id}\n`));
  return id;
}

/**
 * An id of the folder of a file on this machine, for processes that use it one after the other. A copy of the folder
 * has another one.
 */
export async function readPlaceId(path: string): Promise<string> {
  const place = JSON.stringify([await readFolderId(path), hostname(), resolve(path)]);
  return createHash('sha256').update(place).digest('hex').slice(0, 16);
}
