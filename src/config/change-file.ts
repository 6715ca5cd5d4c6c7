import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { mkdir, rmdir } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type Conf from 'conf';
import { VencError } from '../api/errors.js';
import { systemCode } from '../api/system-code.js';
import { diskReason } from '../disk/disk-reason.js';
import { makeFolder } from '../disk/make-folder.js';
import { parseFile } from './parse-file.js';

/** The content of a file of ours, while it is changed. */
type Store = Conf<Record<string, unknown>>;

/** Milliseconds between two looks at whose turn it is, and after which whoever has it must have died: a change takes a few. */
const lookMs = 15;
const longestTurnMs = 3000;

/**
 * Changes a file below the configuration folder, which only its owner may read; several programs do so one after the other. A broken
 * one is set aside under another name, so that nothing of it is lost: then gives that name, else null. Rejects with `UsageError` where
 * it cannot be written.
 */
export async function changeFile(
  folder: string,
  name: string,
  change: (store: Store) => void,
): Promise<string | null> {
  const path = `${folder}/${name}.json`;
  try {
    // conf would make it too, and never end where that is not possible.
    await makeFolder(folder, 0o700);
    const { default: FileStore } = await import('conf');
    return await inTurn(path, () => {
      const setAside = setBrokenAside(path);
      // Names of targets may have dots.
      const options = { configFileMode: 0o600, accessPropertiesByDotNotation: false };
      change(new FileStore<Record<string, unknown>>({ cwd: folder, configName: name, ...options }));
      return setAside;
    });
  } catch (error) {
    throw new VencError('UsageError', `${path} cannot be written: ${diskReason(error, 'write')}.`, {
      cause: error,
      hint: 'XDG_CONFIG_HOME names another folder for it',
    });
  }
}

/** A change is a look and a write: without turns the slower of two would undo what the faster has written in between. */
async function inTurn<T>(path: string, work: () => T): Promise<T> {
  const turn = `${path}.lock`;
  while (!(await takeTurn(turn))) {
    if (isOver(turn)) endTurn(turn);
    await setTimeout(lookMs);
  }
  try {
    return work();
  } finally {
    await rmdir(turn).catch(() => {});
  }
}

/** Whether who has taken a turn must have died. One of the future was taken before a clock was put back: nobody waits until then. */
function isOver(turn: string): boolean {
  const taken = statSync(turn, { throwIfNoEntry: false });
  return taken !== undefined && Math.abs(Date.now() - taken.mtimeMs) > longestTurnMs;
}

/**
 * Ends the turn of a program that has died. One at a time may do so, and looks again: of two who see it at once the slower would end the turn
 * that the faster has by then.
 */
function endTurn(turn: string): void {
  const ending = `${turn}.ending`;
  try {
    mkdirSync(ending);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    if (isOver(ending)) rmSync(ending, { recursive: true, force: true });
    return;
  }
  if (isOver(turn)) rmSync(turn, { recursive: true, force: true });
  rmSync(ending, { recursive: true, force: true });
}

/** Resolves to false where another program has the turn. */
function takeTurn(turn: string): Promise<boolean> {
  return mkdir(turn).then(
    () => true,
    (error: unknown) => {
      if (systemCode(error) === 'EEXIST') return false;
      throw error;
    },
  );
}

function setBrokenAside(path: string): string | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    parseFile(text);
    return null;
  } catch {
    const aside = freeName(`${path}.broken`);
    renameSync(path, aside);
    return aside;
  }
}

/** What was set aside before is not to be lost either. */
function freeName(path: string): string {
  let name = path;
  for (let number = 2; existsSync(name); number += 1) name = `${path}-${number}`;
  return name;
}
