import { unlink } from 'node:fs/promises';
import { isVencError, VencError } from '../../../src/shared/errors.js';
import { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { realDisk } from '../../../src/shared/util/disk.js';
import { diskReason } from '../../../src/shared/util/disk-error-text.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import { toWriteError } from './disk-errors.js';
import { dataLayout } from './layout.js';

/** Where a running daemon listens, and its process: a process that is not there any more left a stale address. */
export interface DaemonAddress {
  readonly url: string;
  readonly pid: number;
}

/** Writes `DATA/daemon.json`, by which commands of the same user find the daemon. Readable to that user alone. */
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

/** Removes the address; content where there is none. */
export async function removeDaemonAddress(dataFolder: string): Promise<void> {
  try {
    await unlink(dataLayout(dataFolder).address);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}
