import { VencError } from '../../../src/api/errors.js';
import { makeDataFolder } from './data-folder.js';
import { openingError } from './disk-errors.js';
import { tryFileLock } from './file-lock.js';
import { dataLayout } from './layout.js';

/** The right of this process alone to change a data folder. */
export interface DataLock {
  /** Lets others have the folder. */
  release(): Promise<void>;
}

/**
 * Takes `DATA/lock`, a file with the pid and the start time of its process, and makes the data folder where it
 * is not there: the first thing to do with a data folder, and the last to give back.
 *
 * Rejects with `InUseError` while another process lives that holds it; one left by a process that is dead, or whose
 * pid now belongs to another, is taken over. Rejects with `UsageError` where the folder cannot be written, with
 * `OutOfSpaceError` where there is no room for so much as the lock.
 */
export async function lockDataFolder(folder: string): Promise<DataLock> {
  try {
    await makeDataFolder(folder);
    const outcome = await tryFileLock(dataLayout(folder).lock);
    if (outcome.kind === 'taken') return outcome;
    throw new VencError(
      'InUseError',
      `The data folder ${folder} is in use by the daemon with process id ${outcome.holder}.`,
      {
        hint: 'Stop that daemon, or choose another folder with --data.',
      },
    );
  } catch (error) {
    throw openingError(error, folder);
  }
}
