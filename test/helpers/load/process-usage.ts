import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { residentMegabytesOf } from '../../../bench/programs.js';
import { waitUntil } from '../wait-until.js';

/** What a process uses at one moment. */
export interface ProcessUsage {
  /** Resident memory, in megabytes of 1,000,000 bytes. */
  readonly megabytes: number;
  /** Number of open file descriptors. */
  readonly descriptors: number;
}

/** Reads the usage of a process from /proc. */
export async function usageOf(pid: number): Promise<ProcessUsage> {
  const descriptors = (await readdir(`/proc/${pid}/fd`)).length;
  return { megabytes: await residentMegabytesOf(pid), descriptors };
}

/** Counts the open descriptors of a process by what they refer to: `socket`, `pipe`, `anon_inode`, or a path. */
export async function descriptorKinds(pid: number): Promise<ReadonlyMap<string, number>> {
  const folder = `/proc/${pid}/fd`;
  const kinds = new Map<string, number>();
  for (const name of await readdir(folder)) {
    const target = await readlink(join(folder, name)).catch(() => 'closed');
    const kind = /^(socket|pipe):/.exec(target)?.[1] ?? target;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return kinds;
}

/**
 * Waits until a process has no more descriptors than `before`. Rejects after a minute and names those that it has in addition.
 */
export async function waitUntilDescriptorsReturn(
  pid: number,
  before: ReadonlyMap<string, number>,
): Promise<void> {
  const total = sumOf(before);
  try {
    await waitUntil('all descriptors are closed', async () => (await usageOf(pid)).descriptors <= total);
  } catch (error) {
    const now = await descriptorKinds(pid);
    const more = [...now].filter(([kind, count]) => count > (before.get(kind) ?? 0));
    const text = more
      .map(([kind, count]) => `${count} ${kind} (before: ${before.get(kind) ?? 0})`)
      .join(', ');
    throw new Error(`Open descriptors: ${sumOf(now)}, before: ${total}. More than before: ${text}.`, {
      cause: error,
    });
  }
}

function sumOf(kinds: ReadonlyMap<string, number>): number {
  return [...kinds.values()].reduce((sum, count) => sum + count, 0);
}

/** The number of files that this process, and each process that it starts, may open. Node raises the soft limit to the hard one. */
export async function maxOpenFiles(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8');
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1];
  return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}
