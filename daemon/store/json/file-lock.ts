import { randomBytes } from 'node:crypto';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { systemCode } from '../../../src/api/system-code.js';
import { giveToOwnerOf } from './folder-owner.js';
import { processStart } from './process-start.js';

/** What asking for a lock gives: the lock, or the pid of the living process that holds it. */
export type LockOutcome =
  | { readonly kind: 'taken'; release(): Promise<void> }
  | { readonly kind: 'busy'; readonly holder: number };

/** How often, and after how long, the right to remove a dead lock is asked for again: it is held for moments. */
const guardAttempts = 400;
const guardPauseMs = 5;

/**
 * Asks once for a lock: a file with the pid and the start time of its process, in a folder that is there. One left by a
 * process that is dead, or whose pid now belongs to another, is taken over. Rejects with the system's error where the
 * folder cannot be written.
 */
export async function tryFileLock(path: string): Promise<LockOutcome> {
  const own = `${process.pid} ${await processStart(process.pid)}\n`;
  const holder = await tryTake(path, own);
  return holder === null ? { kind: 'taken', release: () => release(path, own) } : { kind: 'busy', holder };
}

/** Takes a lock; resolves to null, or to the pid of the living process that holds it. */
async function tryTake(path: string, own: string): Promise<number | null> {
  while (!(await tryCreate(path, own))) {
    const held = await textOf(path);
    if (held === null) continue;
    const holder = await livingHolder(held);
    if (holder !== null) return holder;
    await removeDead(path, held, own);
  }
  return null;
}

/**
 * Removes a lock whose holder is dead, if it is still that one. Several starts may have found it dead, and the slower would
 * remove the new lock of the faster: so only who holds the guard, a lock of the same kind beside it, removes anything.
 * (Moving the lock aside to look at it again is not enough: while it is away, a third one gets in.)
 */
async function removeDead(path: string, dead: string, own: string): Promise<void> {
  const guard = `${path}+`;
  for (let attempt = 1; (await tryTake(guard, own)) !== null; attempt += 1) {
    if (attempt === guardAttempts) throw new Error(`${guard} is held for longer than can be.`);
    await setTimeout(guardPauseMs);
  }
  try {
    if ((await textOf(path)) === dead) await unlink(path);
  } finally {
    await release(guard, own);
  }
}

/** Makes the lock with its content in one step: a link to a finished file, which fails where there is one already. */
async function tryCreate(path: string, text: string): Promise<boolean> {
  const temporary = join(dirname(path), `.tmp-${randomBytes(6).toString('hex')}`);
  try {
    await writeFile(temporary, text, { flag: 'wx', mode: 0o600 });
    await giveToOwnerOf(dirname(path), temporary);
    await link(temporary, path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
}

/** The pid of the process that holds a lock with this content; null where it holds nobody up. */
async function livingHolder(text: string): Promise<number | null> {
  const [, pid, start] = /^([1-9]\d*) (\S+)\n$/.exec(text) ?? [];
  if (pid === undefined) return null;
  return (await processStart(Number(pid))) === start ? Number(pid) : null;
}

async function release(path: string, own: string): Promise<void> {
  if ((await textOf(path)) === own) await unlink(path);
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}
