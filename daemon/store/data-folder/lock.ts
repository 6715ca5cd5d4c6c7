import { setTimeout as pause } from 'node:timers/promises';
import { VencError } from '../../../src/shared/errors.js';
import { type Disk, guardDisk } from '../../../src/shared/util/disk.js';
import { type FileLock, holderOf, tryFileLock } from '../../../src/shared/util/lock/file-lock.js';
import type { KernelLock } from '../../../src/shared/util/lock/kernel-lock.js';
import { holderName, type LockHolder } from '../../../src/shared/util/lock/lock-holder.js';
import { makeDataFolder } from './data-folder.js';
import { toOpenError } from './disk-errors.js';
import { requireNoUnfinishedMigration } from './folder-migration.js';
import { dataLayout } from './layout.js';

/** The exclusive right of this process to change a data folder. */
export interface DataLock {
  /** A disk whose every step fails with the error of `lost` once another process has taken the folder. */
  guard(disk: Disk): Disk;
  /**
   * Resolves to an `InUseError` if another process takes the folder while this one is stopped; never
   * otherwise. Nothing may be written to the folder then.
   */
  readonly lost: Promise<VencError>;
  /** Releases the folder. */
  release(): Promise<void>;
}

/** The options of `lockDataFolder`. */
interface DataLockOptions {
  /**
   * Whether the folder was created for this process and no other process knows it: no kernel lock is needed
   * then, and its name need not survive a power cut.
   */
  readonly isPrivate?: boolean;
  /** Whether the lock is for a migration: it may also go on with one that has not finished. */
  readonly isForMigration?: boolean;
}

/** How long, and how often, to retry a kernel lock whose holder has not written its name, in milliseconds. */
const unnamedHolderWaitMs = 1000;
const unnamedHolderPollMs = 50;

/**
 * Locks a data folder, and creates it if it is missing: the first step before using a folder, and the last to
 * undo. Takes two locks: a kernel lock on the folder (`tryKernelLock`), if available, and the file
 * `DATA/lock` (`tryFileLock`), which names the process and has a heartbeat for processes that cannot see the
 * kernel lock.
 *
 * Rejects with `InUseError` while a living process holds the lock. The lock of a dead process, or of one
 * whose pid now belongs to another process, is taken over. Rejects with `UsageError` if the folder cannot be
 * written or contains a part of an unfinished migration, with `OutOfSpaceError` if there is no space even for the lock.
 */
export async function lockDataFolder(folder: string, options: DataLockOptions = {}): Promise<DataLock> {
  try {
    await makeDataFolder(folder, options.isPrivate !== true);
    const kernel = options.isPrivate === true ? null : await lockInKernel(folder);
    const lock = await lockByFile(folder, kernel).catch((error: unknown) => {
      kernel?.release();
      throw error;
    });
    if (options.isForMigration !== true) await requireNoUnfinishedMigration(folder, () => lock.release());
    return lock;
  } catch (error) {
    throw toOpenError(error, folder);
  }
}

/** The kernel lock; null if it is not available. */
async function lockInKernel(folder: string): Promise<Extract<KernelLock, { kind: 'held' }> | null> {
  const { tryKernelLock } = await import('../../../src/shared/util/lock/kernel-lock.js');
  const end = performance.now() + unnamedHolderWaitMs;
  for (;;) {
    const lock = await tryKernelLock(folder);
    if (lock.kind !== 'busy') return lock.kind === 'held' ? lock : null;
    const holder = await holderOf(dataLayout(folder).lock);
    // A daemon that is starting or stopping has no name there, and systemd-tmpfiles holds such locks for
    // moments.
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
      try {
        await lock.release();
      } finally {
        kernel?.release();
      }
    },
  };
}

function requireHeld(lock: FileLock, error: VencError): void {
  if (!lock.isHeld()) throw error;
}

function inUse(folder: string, holder: LockHolder | null): VencError {
  const name = holder === null ? '' : ` with ${holderName(holder)}`;
  return new VencError('InUseError', `The data folder ${folder} is in use by the daemon${name}.`, {
    hint: 'Stop that daemon, or choose another folder with --data. If that process is venc migrate, wait until it ends.',
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
