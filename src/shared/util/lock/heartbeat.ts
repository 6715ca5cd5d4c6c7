import { readFileSync } from 'node:fs';
import { open, readFile, utimes } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { systemCode } from '../system-code.js';

/** How often the holder of a lock sets the time of its file, in milliseconds. */
const beatMs = 2000;

/**
 * For how long the file of a lock must stay as it is for its holder to be taken for dead, in milliseconds. Only where the system cannot be
 * asked about the holder.
 */
const silenceMs = 10_000;

/** How often a lock is looked at meanwhile. */
const lookMs = 50;

/** After how many milliseconds without a beat the holder looks at its lock before it writes anything: it may have been stopped. */
const doubtMs = silenceMs / 2;

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
export function beginHeartbeat(path: string, own: string, onLost: () => void): Heartbeat {
  let provenAt = performance.now();
  let isLost = false;
  const judge = (text: string | null) => {
    if (isLost) return;
    if (text === own) {
      provenAt = performance.now();
      return;
    }
    isLost = true;
    clearInterval(timer);
    onLost();
  };
  const beat = async () => {
    try {
      const text = await textOf(path);
      judge(text);
      if (text !== own) return;
      const now = new Date();
      await utimes(path, now, now);
    } catch {
      // The disk does not answer for the moment. The next beat looks again.
    }
  };
  const timer = setInterval(() => void beat(), beatMs).unref();
  return {
    isHeld() {
      if (!isLost && performance.now() - provenAt > doubtMs) lookNow(path, judge);
      return !isLost;
    },
    stop: () => clearInterval(timer),
  };
}

function lookNow(path: string, judge: (text: string | null) => void): void {
  try {
    judge(readFileSync(path, 'utf8'));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') judge(null);
  }
}

/**
 * Watches a lock whose holder the system says nothing about. Resolves to `alive` as soon as the file's time changes, `changed` when the file
 * holds another text or is gone, `dead` when nothing of it changed for the whole time. Times are compared with each other alone, never with
 * the clock here: that of another machine may go wrong.
 */
export async function watchHolder(path: string, text: string): Promise<'alive' | 'changed' | 'dead'> {
  const end = performance.now() + silenceMs;
  const first = await timeOf(path);
  while (performance.now() < end) {
    await pause(lookMs);
    if ((await textOf(path)) !== text) return 'changed';
    if ((await timeOf(path)) !== first) return 'alive';
  }
  return 'dead';
}

/** The content of a lock file; null where there is none. */
export async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The time of a file, asked of the open file: opening makes NFS forget what it remembers of it. Null where there is none. */
async function timeOf(path: string): Promise<bigint | null> {
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
