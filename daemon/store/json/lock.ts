import { randomBytes } from 'node:crypto';
import { access, constants, link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { VencError } from '../../../src/api/errors.js';
import { realDisk } from './disk.js';
import { openingError, systemCode } from './disk-errors.js';
import { dataLayout } from './layout.js';
import { processStart } from './process-start.js';

/** The right of this process alone to change a data folder. */
export interface DataLock {
  /** Lets others have the folder. */
  release(): Promise<void>;
}

/** How often, and after how long, the right to remove a dead lock is asked for again: it is held for moments. */
const guardAttempts = 400;
const guardPauseMs = 5;

/**
 * Takes `DATA/lock`, a file with the pid and the start time of its process, and makes the data folder where it
 * is not there: the first thing to do with a data folder, and the last to give back.
 *
 * Rejects with `InUseError` while another process lives that holds it; one left by a process that is dead, or whose
 * pid now belongs to another, is taken over. Rejects with `UsageError` where the folder cannot be written, with
 * `OutOfSpaceError` where there is no room for so much as the lock.
 */
export async function lockDataFolder(folder: string): Promise<DataLock> {
  const path = dataLayout(folder).lock;
  const own = `${process.pid} ${await processStart(process.pid)}\n`;
  try {
    await makeDataFolder(folder);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    await take(folder, path, own);
  } catch (error) {
    throw openingError(error, folder);
  }
  return { release: () => release(path, own) };
}

/** Makes the folder so that its name survives a power cut, as far as this user may see to that. */
async function makeDataFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = resolve(folder); made.length >= first.length; made = dirname(made)) {
    await realDisk.syncFolder(dirname(made)).catch(() => undefined);
  }
}

async function take(folder: string, path: string, own: string): Promise<void> {
  const holder = await tryTake(path, own);
  if (holder === null) return;
  throw new VencError(
    'InUseError',
    `The data folder ${folder} is in use by the daemon with process id ${holder}.`,
    {
      hint: 'Stop that daemon, or choose another folder with --data.',
    },
  );
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
