import { open, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder, syncNewFolders } from '../../src/shared/util/disk.js';

/** Flushes a folder to disk, so that its new names survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Flushes a file to disk, so that its bytes survive a power cut. */
export async function syncFile(path: string): Promise<void> {
  await syncFolder(path);
}

/**
 * Creates a folder and its parents, and makes their names survive a power cut. Resolves to a function that removes the
 * created folders if they are empty. A failed transfer calls it.
 */
export async function makeFolders(path: string, mode = 0o777): Promise<() => Promise<void>> {
  const first = await makeFolder(path, mode);
  const undo = async () => {
    if (first === null) return;
    for (let folder = path; folder.length >= first.length; folder = dirname(folder)) {
      // rmdir fails if the folder contains other files. It stays then.
      const isMissing = await rmdir(folder).then(
        () => true,
        () => false,
      );
      if (!isMissing) return;
    }
  };
  try {
    await syncNewFolders(path, first);
  } catch (error) {
    await undo();
    throw error;
  }
  return undo;
}
