import { open, rmdir, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '../../src/shared/util/disk.js';

/** Makes what was written into a folder survive a power cut: names as well as bytes. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a file's bytes survive a power cut. */
export async function syncFile(path: string): Promise<void> {
  await syncFolder(path);
}

/**
 * Makes a folder and those above it. Gives back what takes away again those that were made here, as far as they are
 * empty, for a transfer that fails and must leave nothing behind.
 */
export async function makeFolders(path: string, mode = 0o777): Promise<() => Promise<void>> {
  const first = await makeFolder(path, mode);
  return async () => {
    if (first === null) return;
    for (let folder = path; folder.length >= first.length; folder = dirname(folder)) {
      // Somebody else's file in it is a good reason to leave it: rmdir refuses by itself.
      const isMissing = await rmdir(folder).then(
        () => true,
        () => false,
      );
      if (!isMissing) return;
    }
  };
}

/** Bytes that this process may still write on the volume of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const volume = await statfs(folder);
  return volume.bavail * volume.bsize;
}
