import { setTimeout as pause } from 'node:timers/promises';
import { VencError } from '../../../src/shared/errors.js';
import { type Disk, guardDisk } from '../../../src/shared/util/disk.js';
import { type FileLock, holderOf, tryFileLock } from '../../../src/shared/util/lock/file-lock.js';
import type { KernelLock } from '../../../src/shared/util/lock/kernel-lock.js';
import { holderName, type LockHolder } from '../../../src/shared/util/lock/lock-holder.js';
import { toOpenError } from './disk-errors.js';
import { dataLayout } from './layout.js';
import { makeDataFolder } from './make-data-folder.js';

/** The right of this process alone to change a data folder. */
export interface DataLock {
  /** A disk whose every step fails with the error of `lost` once another process has taken the folder. */
  guard(disk: Disk): Disk;
  /**
   * Resolves to an `InUseError` should another process take the folder while this one is stopped; never otherwise. Nothing may be
   * written to the folder then.
   */
  readonly lost: Promise<VencError>;
  /** Lets others have the folder. */
  release(): Promise<void>;
}

/** What is known of a data folder before it is locked. */
export interface DataLockOptions {
  /** The folder was made for this process, and no other one knows of it: the kernel need not be asked. */
  readonly isPrivate?: boolean;
}

/** For how long, in milliseconds, and how often a lock of the kernel is asked for again whose holder has not given its name. */
const unnamedHolderWaitMs = 1000;
const unnamedHolderPollMs = 50;

/**
 * Takes a data folder, and makes it where it is not there: the first thing to do with a data folder, and the last to give back. It takes two
 * locks: one of the kernel on the folder (`tryKernelLock`), where there is one to be had, and the file `DATA/lock` (`tryFileLock`), which
 * names the process and has a heartbeat for those who cannot see the other one.
 *
 * Rejects with `InUseError` while another process lives that holds it; one left by a process that is dead, or whose
 * pid now belongs to another, is taken over. Rejects with `UsageError` where the folder cannot be written, with
 * `OutOfSpaceError` where there is no room for so much as the lock.
 */
export async function lockDataFolder(folder: string, options: DataLockOptions = {}): Promise<DataLock> {
  try {
    await makeDataFolder(folder);
    const kernel = options.isPrivate === true ? null : await lockInKernel(folder);
    try {
      return await lockByFile(folder, kernel);
    } catch (error) {
      kernel?.release();
      throw error;
    }
  } catch (error) {
    throw toOpenError(error, folder);
  }
}

/** The lock of the kernel; null where it is not available. */
async function lockInKernel(folder: string): Promise<Extract<KernelLock, { kind: 'held' }> | null> {
  const { tryKernelLock } = await import('../../../src/shared/util/lock/kernel-lock.js');
  const end = performance.now() + unnamedHolderWaitMs;
  for (;;) {
    const lock = await tryKernelLock(folder);
    if (lock.kind !== 'busy') return lock.kind === 'held' ? lock : null;
    const holder = await holderOf(dataLayout(folder).lock);
    // One that begins or ends has no name there, and systemd-tmpfiles holds such locks for moments.
    if (holder !== null || performance.now() > end) throw inUse(folder, holder);
    await pause(unnamedHolderPollMs);
  }
}

async function lockByFile(folder: string, kernel: { release(): void } | null): Promise<DataLock> {
  const error = lostError(folder);
  let resolveLost = (_error: VencError) => {};
  const lost = new Promise<VencError>((resolve) => {
    resolveLost = resolve;
  });
  const onLost = () => resolveLost(error);
  const outcome = await tryFileLock(dataLayout(folder).lock, { hasKernelLock: kernel !== null, onLost });
  if (outcome.kind === 'busy') throw inUse(folder, outcome.holder);
  const { lock } = outcome;
  const check = () => requireHeld(lock, error);
  return {
    guard: (disk) => guardDisk(disk, check),
    lost,
    async release() {
      await lock.release();
      kernel?.release();
    },
  };
}

function requireHeld(lock: FileLock, error: VencError): void {
  if (!lock.isHeld()) throw error;
}

function inUse(folder: string, holder: LockHolder | null): VencError {
  const name = holder === null ? '' : ` with ${holderName(holder)}`;
  return new VencError('InUseError', `The data folder ${folder} is in use by the daemon${name}.`, {
    hint: 'Stop that daemon, or choose another folder with --data.',
  });
}

function lostError(folder: string): VencError {
  return new VencError(
    'InUseError',
    `Another daemon took the data folder ${folder} while this one was stopped for ten seconds or more, or its lock was removed: ` +
      'this daemon ends and writes nothing more.',
    {
      hint: 'Run one daemon on a data folder; see "One daemon for a data folder" in docs/running-the-daemon.md.',
    },
  );
}
