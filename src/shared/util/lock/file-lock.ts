import { randomBytes } from 'node:crypto';
import { link, statfs, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { chownToOwnerOf } from '../give-to-owner.js';
import { systemCode } from '../system-code.js';
import { temporaryPrefix } from '../temporary-files.js';
import { type Heartbeat, readLockText, startHeartbeat, watchHolder } from './heartbeat.js';
import {
  currentHolder,
  holderText,
  isOfThisBoot,
  type LockHolder,
  livenessOf,
  parseHolder,
} from './lock-holder.js';

/** A lock that this process holds. */
export interface FileLock {
  /** Whether it is still held: another process may have taken it while this one was stopped. */
  isHeld(): boolean;
  release(): Promise<void>;
}

/** What asking for a lock gives: the lock, or the living process that holds it. */
export type LockOutcome =
  | { readonly kind: 'taken'; readonly lock: FileLock }
  | { readonly kind: 'busy'; readonly holder: LockHolder };

/** How a lock is asked for. */
export interface FileLockOptions {
  /** Whether this process has a lock of the kernel for the same thing: all others who had one have ended then. */
  readonly hasKernelLock?: boolean;
  /** Called once should the lock turn out to be lost. */
  readonly onLost?: () => void;
}

/** How often, and after how long, the right to remove a dead lock is asked for again: it is held for moments. */
const guardAttempts = 400;
const guardPauseMs = 5;

/** ext4, XFS, Btrfs, tmpfs, overlayfs, ZFS, F2FS, bcachefs: no other machine works on these (statfs(2)). */
const localFileSystems: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e,
]);

interface LockRequester {
  /** The text of its lock files. */
  readonly ownText: string;
  readonly hasKernelLock: boolean;
}

/**
 * Asks once for a lock: a file that names its process (`LockHolder`), in a folder that is there. The lock of a process that is dead, or
 * whose pid now belongs to another, is taken over at once. Where the system cannot be asked about the holder, in another PID namespace or
 * on another machine, its heartbeat is waited for, ten seconds at most. Rejects with the system's error where the folder cannot be written.
 *
 * Not proper-lockfile: it knows a holder only by the age of its lock, so that the lock of a dead process blocks a start for seconds, and a
 * process that was stopped for that long loses its lock to another one.
 */
export async function tryFileLock(path: string, options: FileLockOptions = {}): Promise<LockOutcome> {
  const hasKernelLock = options.hasKernelLock ?? false;
  const ownText = holderText(currentHolder(hasKernelLock));
  const holder = await tryAcquire(path, { ownText, hasKernelLock });
  if (holder !== null) return { kind: 'busy', holder };
  const heartbeat = startHeartbeat(path, ownText, options.onLost ?? (() => {}));
  return { kind: 'taken', lock: createFileLock(path, ownText, heartbeat) };
}

/** The holder of a lock, if it lives or nothing can be said of it without waiting; null where the lock holds up nobody. */
export async function holderOf(path: string): Promise<LockHolder | null> {
  const holder = parseHolder((await readLockText(path)) ?? '');
  return holder === null || livenessOf(holder) === 'dead' ? null : holder;
}

function createFileLock(path: string, ownText: string, heartbeat: Heartbeat): FileLock {
  return {
    isHeld: () => heartbeat.isHeld(),
    async release() {
      heartbeat.stop();
      await release(path, ownText);
    },
  };
}

/** Takes a lock; resolves to null, or to the living process that holds it. */
async function tryAcquire(path: string, requester: LockRequester): Promise<LockHolder | null> {
  while (!(await tryCreate(path, requester.ownText))) {
    const heldText = await readLockText(path);
    if (heldText === null) continue;
    const holder = parseHolder(heldText);
    const state = holder === null ? 'dead' : await stateOf(path, heldText, { holder, requester });
    if (state === 'changed') continue;
    if (holder !== null && state === 'alive') return holder;
    await removeStaleLock(path, heldText, requester);
  }
  return null;
}

async function stateOf(
  path: string,
  text: string,
  { holder, requester }: { readonly holder: LockHolder; readonly requester: LockRequester },
): Promise<'alive' | 'changed' | 'dead'> {
  const liveness = livenessOf(holder);
  if (liveness !== 'unknown') return liveness;
  if (isOfThisBoot(holder)) {
    // The kernel gives its lock to one process of this machine, in whatever namespace that runs.
    if (holder.hasKernelLock && requester.hasKernelLock) return 'dead';
  } else if (await isOnLocalDisk(path)) {
    // The machine was started again since.
    return 'dead';
  }
  return watchHolder(path, text);
}

async function isOnLocalDisk(path: string): Promise<boolean> {
  const { type } = await statfs(dirname(path));
  return localFileSystems.has(type);
}

/**
 * Removes a lock whose holder is dead, if it is still that one. Several starts may have found it dead, and the slower would
 * remove the new lock of the faster: so only the holder of the guard, a lock of the same kind beside it, removes anything.
 * (Moving the lock aside to look at it again is not enough: while it is away, a third one gets in.)
 */
async function removeStaleLock(path: string, staleText: string, requester: LockRequester): Promise<void> {
  const guard = `${path}+`;
  for (let attempt = 1; (await tryAcquire(guard, requester)) !== null; attempt += 1) {
    if (attempt === guardAttempts) throw new Error(`${guard} is held for longer than can be.`);
    await pause(guardPauseMs);
  }
  try {
    if ((await readLockText(path)) === staleText) await unlink(path);
  } finally {
    await release(guard, requester.ownText);
  }
}

/** Makes the lock with its content in one step: a link to a finished file, which fails where there is one already. */
async function tryCreate(path: string, text: string): Promise<boolean> {
  const temporary = join(dirname(path), temporaryPrefix + randomBytes(6).toString('hex'));
  try {
    await writeFile(temporary, text, { flag: 'wx', mode: 0o600 });
    await chownToOwnerOf(dirname(path), temporary);
    await link(temporary, path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
}

async function release(path: string, ownText: string): Promise<void> {
  if ((await readLockText(path)) === ownText) await unlink(path);
}
