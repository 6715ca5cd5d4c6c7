import { readdir, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { abandonedFiles } from '../../src/shared/util/atomic-files.js';
import { isToken } from './file-ref.js';
import {
  expiryOfFile,
  type HostedFileStoreState,
  isExpired,
  neededRecheckMs,
  recordsFolder,
  removeRecord,
  unfinishedFolder,
} from './hosted-file-store-state.js';

/** How long the empty folder of an expired token is kept: 30 days. */
const tombstoneRetentionMs = 30 * 86_400_000;

/**
 * Deletes expired files, and the unfinished files of an earlier crash. The empty folder of a token is kept for 30 days
 * as the marker that makes `find` return `gone`. Calls `onRetained` with each remaining token and its expiry time.
 */
export async function removeExpiredFiles(
  state: HostedFileStoreState,
  onRetained: (token: string, due: Date) => void,
): Promise<void> {
  for (const name of await namesIn(unfinishedFolder(state))) {
    // A locked file is being written now; every other file here was left by a crash.
    if (!state.mutex.isLocked(parse(name).name))
      await rm(join(unfinishedFolder(state), name), { force: true });
  }
  // Listed before the tokens: the token folder of an upload is created before its record, so an upload that arrives
  // meanwhile keeps its record.
  const records = await namesIn(recordsFolder(state));
  const tokens = (await namesIn(state.folder)).filter(isToken);
  for (const token of tokens) {
    if (state.mutex.isLocked(token)) continue;
    const due = await removeIfExpired(state, token);
    if (due !== null) onRetained(token, due);
  }
  for (const path of await abandonedFiles(recordsFolder(state)).catch(() => []))
    await rm(path, { force: true });
  const knownTokens = new Set(tokens);
  for (const name of records) {
    const token = parse(name).name;
    if (!knownTokens.has(token) && !state.mutex.isLocked(token)) await removeRecord(state, token);
  }
}

/**
 * Deletes the files of a token if all of them have expired and no job needs them. They are deleted together, so that
 * none is `unknown` before it is `gone`. Resolves to the expiry time of the last file, or of the next check, or null if
 * no file is left.
 */
export function removeIfExpired(state: HostedFileStoreState, token: string): Promise<Date | null> {
  return state.mutex.runExclusive(token, () => removeFolderIfExpired(state, token));
}

async function removeFolderIfExpired(state: HostedFileStoreState, token: string): Promise<Date | null> {
  const folder = join(state.folder, token);
  const paths = (await namesIn(folder)).map((name) => join(folder, name));
  const times = (await Promise.all(paths.map(modifiedAt))).filter((time) => time !== null);
  const latest = new Date(Math.max(...times.map((time) => time.getTime())));
  if (times.some((time) => !isExpired(state, token, time))) return expiryOfFile(token, latest);
  if (paths.length > 0) {
    if ((await state.needOf(token)) !== null) {
      if (!state.renewsNeeded) return new Date(state.now().getTime() + neededRecheckMs);
      await renewFiles(state, token);
      return expiryOfFile(token, state.now());
    }
    for (const path of paths) await rm(path, { recursive: true, force: true });
    const expiredAt = times.length === 0 ? state.now() : expiryOfFile(token, latest);
    await utimes(folder, expiredAt, expiredAt).catch(() => undefined);
    await removeRecord(state, token);
    return null;
  }
  const emptiedAt = await modifiedAt(folder);
  if (emptiedAt !== null && state.now().getTime() - emptiedAt.getTime() >= tombstoneRetentionMs) {
    await rmdir(folder).catch(() => undefined);
  }
  return null;
}

/** Starts the retention time of the files of a token again. */
export async function renewFiles(state: HostedFileStoreState, token: string): Promise<void> {
  const folder = join(state.folder, token);
  for (const name of await namesIn(folder)) await utimes(join(folder, name), state.now(), state.now());
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
