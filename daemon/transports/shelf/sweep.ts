import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { isToken } from '../shelf-place.js';
import { removeRecord } from './records.js';
import { isExpired, recordsFolder, type ShelfState, unfinishedFolder } from './shelf-state.js';

/** How long it is remembered that something was there: 30 days. */
const traceMs = 30 * 86_400_000;

/**
 * Deletes what is past its time, and what a crash left unfinished. The emptied folder of a token stays for 30 days as the
 * trace that lets `find` say `gone`. The files of one token go together, so that none of them is unknown before it is gone.
 */
export async function sweep(state: ShelfState): Promise<void> {
  for (const name of await namesIn(unfinishedFolder(state))) {
    // What is held is being written at this moment; all else in here was left by a crash.
    if (!state.locks.isHeld(parse(name).name)) await rm(join(unfinishedFolder(state), name), { force: true });
  }
  const tokens = (await namesIn(state.folder)).filter(isToken);
  for (const token of tokens) {
    if (!state.locks.isHeld(token)) await state.locks.run(token, () => sweepToken(state, token));
  }
  const known = new Set(tokens);
  for (const name of await namesIn(recordsFolder(state))) {
    const token = parse(name).name;
    if (!known.has(token) && !state.locks.isHeld(token)) await removeRecord(state, token);
  }
}

async function sweepToken(state: ShelfState, token: string): Promise<void> {
  const folder = join(state.folder, token);
  const paths = (await namesIn(folder)).map((name) => join(folder, name));
  const times = await Promise.all(paths.map(modifiedAt));
  if (times.some((time) => time !== null && !isExpired(state, time))) return;
  if (paths.length > 0) {
    for (const path of paths) await rm(path, { recursive: true, force: true });
    await removeRecord(state, token);
    return;
  }
  const emptiedAt = await modifiedAt(folder);
  if (emptiedAt !== null && state.now().getTime() - emptiedAt.getTime() >= traceMs) {
    await rmdir(folder).catch(() => undefined);
  }
}

async function modifiedAt(path: string): Promise<Date | null> {
  return stat(path).then(
    (stats) => stats.mtime,
    () => null,
  );
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
