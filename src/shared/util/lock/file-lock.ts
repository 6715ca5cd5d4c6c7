import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, lstat, open, statfs, unlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { VencError } from '../../errors.js';
import { temporaryPrefix } from '../atomic-files.js';
import { chownToOwnerOf, readTextFile } from '../disk.js';
import { systemCode } from '../system-code.js';
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
  /** Whether the lock is still held: another process may have taken it while this one was stopped. */
  isHeld(): boolean;
  release(): Promise<void>;
}

/** The result of a lock attempt: the lock, or the living process that holds it. */
type LockOutcome =
  | { readonly kind: 'taken'; readonly lock: FileLock }
  | { readonly kind: 'busy'; readonly holder: LockHolder };

/** The options of `tryFileLock`. */
interface FileLockOptions {
  /**
   * Whether this process also holds a kernel lock for the same resource. All earlier holders of that lock have then
   * ended.
   */
  readonly hasKernelLock?: boolean;
  /** Called once if the lock is lost. */
  readonly onLost?: () => void;
}

/**
 * Number and interval of the attempts to acquire the guard of a dead lock. The guard is held only briefly, but its
 * holder may not run for seconds on a busy machine.
 */
const guardAttempts = 2000;
const guardPauseMs = 5;

/** File systems that only one machine uses: ext4, XFS, Btrfs, tmpfs, overlayfs, ZFS, F2FS, bcachefs (statfs(2)). */
const localFileSystems: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e,
]);

interface LockRequester {
  /** The content of its lock files. */
  readonly ownText: string;
  readonly hasKernelLock: boolean;
}

/**
 * Tries once to acquire a lock: a file that names its process (`LockHolder`), in an existing folder. Immediately
 * replaces the lock of a dead process, or of one whose pid now belongs to another process. If the system cannot
 * determine whether the holder is alive, because it is in another PID namespace or on another machine, waits for its
 * heartbeat, at most ten seconds. Rejects with the system's error if the folder is not writable.
 *
 * Not proper-lockfile: it considers only the age of a lock. The lock of a dead process then delays a start for
 * seconds, and a process that is stopped for that long loses its lock to another one.
 */
export async function tryFileLock(path: string, options: FileLockOptions = {}): Promise<LockOutcome> {
  const hasKernelLock = options.hasKernelLock ?? false;
  const ownText = holderText(currentHolder(hasKernelLock));
  const holder = await tryAcquire(path, { ownText, hasKernelLock });
  if (holder !== null) return { kind: 'busy', holder };
  const heartbeat = startHeartbeat(path, ownText, options.onLost ?? (() => {}));
  return { kind: 'taken', lock: createFileLock(path, ownText, heartbeat) };
}

/**
 * The holder of a lock if it is alive, or if that is unknown without waiting; null if the lock blocks nobody.
 */
export async function holderOf(path: string): Promise<LockHolder | null> {
  const holder = parseHolder((await readTextFile(path)) ?? '');
  return holder === null || livenessOf(holder) === 'dead' ? null : holder;
}

/** Whether there is a lock whose holder has ended. Decided without waiting: false if the system does not know. */
export async function isAbandonedLock(path: string): Promise<boolean> {
  const holder = parseHolder((await readTextFile(path)) ?? '');
  if (holder === null) return false;
  const liveness = livenessOf(holder);
  // Only one machine uses a local disk, and it has been rebooted since.
  return (
    liveness === 'dead' || (liveness === 'unknown' && !isOfThisBoot(holder) && (await isOnLocalDisk(path)))
  );
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

/** Acquires a lock. Resolves to null, or to the living process that holds it. */
async function tryAcquire(path: string, requester: LockRequester): Promise<LockHolder | null> {
  while (!(await tryCreate(path, requester.ownText))) {
    const heldText = await readTextFile(path);
    if (heldText === null) {
      await rejectLink(path);
      continue;
    }
    const holder = parseHolder(heldText);
    const state = holder === null ? 'dead' : await stateOf(path, heldText, { holder, requester });
    if (state === 'changed') continue;
    if (holder !== null && state === 'alive') return holder;
    await removeStaleLock(path, heldText, requester);
  }
  return null;
}

/** Rejects with `UsageError` if a path is a symbolic link: one that leads nowhere can be neither read nor created. */
async function rejectLink(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found?.isSymbolicLink())
    throw new VencError('UsageError', `${path} is a symbolic link, and must be a file.`, {
      hint: 'Remove it, or move it away.',
    });
}

async function stateOf(
  path: string,
  text: string,
  { holder, requester }: { readonly holder: LockHolder; readonly requester: LockRequester },
): Promise<'alive' | 'changed' | 'dead'> {
  const liveness = livenessOf(holder);
  if (liveness !== 'unknown') return liveness;
  if (isOfThisBoot(holder)) {
    // The kernel gives its lock to one process of this machine, in any namespace.
    if (holder.hasKernelLock && requester.hasKernelLock) return 'dead';
  } else if (await isOnLocalDisk(path)) {
    // The machine has been rebooted since.
    return 'dead';
  }
  return watchHolder(path, text);
}

async function isOnLocalDisk(path: string): Promise<boolean> {
  const { type } = await statfs(dirname(path));
  return localFileSystems.has(type);
}

/**
 * Removes a lock whose holder is dead, if it is still the same lock. Several processes may have found it dead, and a
 * slower one must not remove the new lock of a faster one. Therefore only the holder of the guard, a lock of the same
 * kind next to it, removes a lock. (Renaming the lock and checking it again is not enough: a third process can
 * acquire the lock while it is renamed.)
 */
async function removeStaleLock(path: string, staleText: string, requester: LockRequester): Promise<void> {
  const guard = `${path}+`;
  for (let attempt = 1; (await tryAcquire(guard, requester)) !== null; attempt += 1) {
    if (attempt === guardAttempts)
      throw new Error(`${guard} is held for longer than expected; remove it if no venc process is running.`);
    await pause(guardPauseMs);
  }
  try {
    if ((await readTextFile(path)) === staleText) await unlink(path);
  } finally {
    await release(guard, requester.ownText);
  }
}

/**
 * Creates the lock with its content in one step: a link to a complete file, which fails if the lock exists.
 */
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
  if ((await readTextFile(path)) === ownText) await unlink(path);
}

/** How often the holder of a lock updates the time of its file, in milliseconds. */
const heartbeatIntervalMs = 2000;

/**
 * How long a lock file must be unchanged for its holder to count as dead, in milliseconds. Used only if the system
 * provides no information about the holder.
 */
const deadAfterMs = 10_000;

/** How often the file is checked during that time, in milliseconds. */
const pollIntervalMs = 50;

/**
 * After this many milliseconds without a heartbeat, the holder checks its lock before it writes, because the process
 * may have been stopped.
 */
const recheckAfterMs = deadAfterMs / 2;

/** The heartbeat of a lock's holder. */
interface Heartbeat {
  /**
   * Whether the holder still has the lock. Costs a comparison while the heartbeat is regular, and a read of the file
   * after a pause: a process that was stopped may have lost its lock.
   */
  isHeld(): boolean;
  stop(): void;
}

/**
 * Regularly updates the time of a lock file until the lock is lost; then calls `onLost` once. A temporarily
 * unreadable file does not count as lost.
 */
function startHeartbeat(path: string, ownText: string, onLost: () => void): Heartbeat {
  let verifiedAt = performance.now();
  let isLost = false;
  const checkText = (text: string | null) => {
    if (isLost) return;
    if (text === ownText) {
      verifiedAt = performance.now();
      return;
    }
    isLost = true;
    clearInterval(timer);
    onLost();
  };
  const beat = async () => {
    try {
      const text = await readTextFile(path);
      checkText(text);
      if (text !== ownText) return;
      const now = new Date();
      await utimes(path, now, now);
    } catch {
      // The disk temporarily does not respond. The next heartbeat tries again.
    }
  };
  const timer = setInterval(() => void beat(), heartbeatIntervalMs).unref();
  return {
    isHeld() {
      if (!isLost && performance.now() - verifiedAt > recheckAfterMs) checkNow(path, checkText);
      return !isLost;
    },
    stop: () => clearInterval(timer),
  };
}

function checkNow(path: string, checkText: (text: string | null) => void): void {
  try {
    checkText(readFileSync(path, 'utf8'));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') checkText(null);
  }
}

/**
 * Watches a lock whose holder is unknown to the system. Resolves to `alive` as soon as the time of the file changes,
 * `changed` if the file has other content or is gone, `dead` if nothing changes for the whole time. Compares times
 * only with each other, never with the local clock, because the clock of another machine may be wrong.
 */
async function watchHolder(path: string, text: string): Promise<'alive' | 'changed' | 'dead'> {
  const end = performance.now() + deadAfterMs;
  const first = await readMtime(path);
  while (performance.now() < end) {
    await pause(pollIntervalMs);
    if ((await readTextFile(path)) !== text) return 'changed';
    if ((await readMtime(path)) !== first) return 'alive';
  }
  return 'dead';
}

/**
 * The modification time of a file, read from the open file, because opening makes NFS drop its cached
 * attributes. Null if there is none.
 */
async function readMtime(path: string): Promise<bigint | null> {
  try {
    const handle = await open(path, 'r');
    try {
      return (await handle.stat({ bigint: true })).mtimeNs;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}
