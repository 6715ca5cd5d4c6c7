import { readFileSync } from 'node:fs';
import { open, utimes } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { readTextFile } from '../disk.js';
import { systemCode } from '../system-code.js';

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
export interface Heartbeat {
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
export function startHeartbeat(path: string, ownText: string, onLost: () => void): Heartbeat {
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
export async function watchHolder(path: string, text: string): Promise<'alive' | 'changed' | 'dead'> {
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
