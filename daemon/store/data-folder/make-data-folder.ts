import { access, constants } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { realDisk } from '../../../src/shared/util/disk.js';
import { makeFolder } from '../../../src/shared/util/make-folder.js';

/**
 * Makes a data folder, for the owner alone, where it is not there, so that its name survives a power cut as far as this
 * user may see to that. Rejects with the system's error where it cannot be made, or be read and written.
 */
export async function makeDataFolder(folder: string): Promise<void> {
  const first = await makeFolder(folder, 0o700);
  if (first !== null) {
    for (let created = resolve(folder); created.length >= first.length; created = dirname(created)) {
      await realDisk.syncFolder(dirname(created)).catch(() => undefined);
    }
  }
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
}
