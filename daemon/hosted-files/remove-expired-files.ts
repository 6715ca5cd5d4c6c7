import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { abandonedFiles } from '../../src/shared/util/atomic-files.js';
import { isToken } from './file-ref.js';
import {
  type HostedFileStoreState,
  isExpired,
  recordsFolder,
  removeRecord,
  unfinishedFolder,
} from './hosted-file-store-state.js';

/** How long it is remembered that something was there: 30 days. */
const tombstoneRetentionMs = 30 * 86_400_000;

/**
 * Deletes what is past its time, and what a crash left unfinished. The emptied folder of a token stays for 30 days as the
 * trace that lets `find` say `gone`. Calls `onKept` with what stays, and when its time is over.
 */
export async function removeExpiredFiles(
  state: HostedFileStoreState,
  onRetained: (token: string, due: Date) => void,
): Promise<void> {
  for (const name of await namesIn(unfinishedFolder(state))) {
    // What is held is being written at this moment; all else in here was left by a crash.
    if (!state.mutex.isLocked(parse(name).name))
      await rm(join(unfinishedFolder(state), name), { force: true });
  }
  const tokens = (await namesIn(state.folder)).filter(isToken);
  for (const token of tokens) {
    if (state.mutex.isLocked(token)) continue;
    const due = await removeExpiredToken(state, token);
    if (due !== null) onRetained(token, due);
  }
  for (const path of await abandonedFiles(recordsFolder(state)).catch(() => []))
    await rm(path, { force: true });
  const knownTokens = new Set(tokens);
  for (const name of await namesIn(recordsFolder(state))) {
    const token = parse(name).name;
    if (!knownTokens.has(token) && !state.mutex.isLocked(token)) await removeRecord(state, token);
  }
}

/**
 * Deletes the files of a token if all are past their time. They go together, so that none of them is unknown before it is gone. Resolves
 * to when the last one's time is over; null where no file is left.
 */
export function removeExpiredToken(state: HostedFileStoreState, token: string): Promise<Date | null> {
  return state.mutex.runExclusive(token, () => removeExpiredFolder(state, token));
}

async function removeExpiredFolder(state: HostedFileStoreState, token: string): Promise<Date | null> {
  const folder = join(state.folder, token);
  const paths = (await namesIn(folder)).map((name) => join(folder, name));
  const times = (await Promise.all(paths.map(modifiedAt))).filter((time) => time !== null);
  if (times.some((time) => !isExpired(state, time))) {
    return new Date(Math.max(...times.map((time) => time.getTime())) + state.retentionSeconds * 1000);
  }
  if (paths.length > 0) {
    for (const path of paths) await rm(path, { recursive: true, force: true });
    await removeRecord(state, token);
    return null;
  }
  const emptiedAt = await modifiedAt(folder);
  if (emptiedAt !== null && state.now().getTime() - emptiedAt.getTime() >= tombstoneRetentionMs) {
    await rmdir(folder).catch(() => undefined);
  }
  return null;
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
