import { unlink } from 'node:fs/promises';
import { isVencError, VencError } from '../../../src/shared/errors.js';
import { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { realDisk } from '../../../src/shared/util/disk.js';
import { diskReason, systemCode } from '../../../src/shared/util/system-code.js';
import { toWriteError } from './disk-errors.js';
import { dataLayout } from './layout.js';

/** The URL of a running daemon and its process id. If there is no such process, the address is stale. */
interface DaemonAddress {
  readonly url: string;
  readonly pid: number;
}

/**
 * Writes `DATA/daemon.json`, by which commands of the same user find the daemon. Only that user can read it.
 */
export async function writeDaemonAddress(dataFolder: string, { url, pid }: DaemonAddress): Promise<void> {
  const path = dataLayout(dataFolder).address;
  try {
    await new AtomicFiles(realDisk, toWriteError).write(path, JSON.stringify({ url, pid }));
  } catch (error) {
    if (isVencError(error)) throw error;
    throw new VencError('UsageError', `The file ${path} cannot be written: ${diskReason(error, 'write')}.`, {
      cause: error,
      hint: 'Remove what is in its place, or choose another folder with --data or VENC_DATA.',
    });
  }
}

/** Removes the address. A no-op if there is none. */
export async function removeDaemonAddress(dataFolder: string): Promise<void> {
  try {
    await unlink(dataLayout(dataFolder).address);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}
