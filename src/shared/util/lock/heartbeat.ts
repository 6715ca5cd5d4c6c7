import { readFileSync } from 'node:fs';
import { open, readFile, utimes } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { systemCode } from '../system-code.js';

/** How often the holder of a lock sets the time of its file, in milliseconds. */
const heartbeatIntervalMs = 2000;

/**
 * For how long the file of a lock must stay as it is for its holder to be taken for dead, in milliseconds. Only where the system cannot be
 * asked about the holder.
 */
const deadAfterMs = 10_000;

/** How often a lock is looked at meanwhile. */
const pollIntervalMs = 50;

/** After how many milliseconds without a beat the holder looks at its lock before it writes anything: it may have been stopped. */
const recheckAfterMs = deadAfterMs / 2;

/** The sign of life that the holder of a lock gives. */
export interface Heartbeat {
  /**
   * Whether the lock is still this holder's. Costs a comparison while the heartbeat is regular, and a look at the file after a pause: a
   * process that was stopped may have lost its lock.
   */
  isHeld(): boolean;
  stop(): void;
}

/**
 * Begins to set the time of a lock file now and then, until the lock turns out to be lost: `onLost` is called then, once. A file that cannot
 * be read at the moment is not lost.
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
      const text = await readLockText(path);
      checkText(text);
      if (text !== ownText) return;
      const now = new Date();
      await utimes(path, now, now);
    } catch {
      // The disk does not answer for the moment. The next beat looks again.
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
 * Watches a lock whose holder the system says nothing about. Resolves to `alive` as soon as the file's time changes, `changed` when the file
 * holds another text or is gone, `dead` when nothing of it changed for the whole time. Times are compared with each other alone, never with
 * the clock here: that of another machine may go wrong.
 */
export async function watchHolder(path: string, text: string): Promise<'alive' | 'changed' | 'dead'> {
  const end = performance.now() + deadAfterMs;
  const first = await readMtime(path);
  while (performance.now() < end) {
    await pause(pollIntervalMs);
    if ((await readLockText(path)) !== text) return 'changed';
    if ((await readMtime(path)) !== first) return 'alive';
  }
  return 'dead';
}

/** The content of a lock file; null where there is none. */
export async function readLockText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The time of a file, asked of the open file: opening makes NFS forget what it remembers of it. Null where there is none. */
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
