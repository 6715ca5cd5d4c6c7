import { existsSync, readFileSync, renameSync } from 'node:fs';
import { rmdir, unlink } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type Conf from 'conf';
import { VencError } from '../shared/errors.js';
import { abandonedFiles } from '../shared/util/atomic-files.js';
import { makeFolder } from '../shared/util/disk.js';
import { type FileLock, tryFileLock } from '../shared/util/lock/file-lock.js';
import { diskReason, systemCode } from '../shared/util/system-code.js';
import { type ConfigKey, configName, parseFile } from './config.js';
import { type Environment, userFolders } from './folders.js';

/** The content of a file of ours, while it is changed. */
type Store = Conf<Record<string, unknown>>;

/** For how long, and how often, the lock of a file is asked for, in milliseconds: a change takes a few. */
const lockWaitMs = 10_000;
const lockPauseMs = 15;

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
    return await withFileLock(path, async () => {
      for (const stalePath of await abandonedFiles(folder)) await unlink(stalePath).catch(() => {});
      const quarantinedPath = quarantineInvalidFile(path);
      // Names of targets may have dots.
      const options = { configFileMode: 0o600, accessPropertiesByDotNotation: false };
      change(new FileStore<Record<string, unknown>>({ cwd: folder, configName: name, ...options }));
      return quarantinedPath;
    });
  } catch (error) {
    throw new VencError('UsageError', `${path} cannot be written: ${diskReason(error, 'write')}.`, {
      cause: error,
      hint: 'XDG_CONFIG_HOME names another folder for it',
    });
  }
}

/** A change is a read and a write: without the lock the slower of two would undo what the faster has written in between. */
async function withFileLock<T>(path: string, task: () => Promise<T>): Promise<T> {
  const lock = await acquireLock(`${path}.lock`);
  try {
    return await task();
  } finally {
    await lock.release();
  }
}

async function acquireLock(path: string): Promise<FileLock> {
  const end = performance.now() + lockWaitMs;
  for (;;) {
    try {
      const outcome = await tryFileLock(path);
      if (outcome.kind === 'taken') return outcome.lock;
    } catch (error) {
      // The locks of earlier versions were empty folders.
      if (systemCode(error) !== 'EISDIR') throw error;
      await rmdir(path).catch(() => {});
    }
    if (performance.now() > end) throw new Error(`another program holds ${path}`);
    await setTimeout(lockPauseMs);
  }
}

function quarantineInvalidFile(path: string): string | null {
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
    const quarantinePath = findFreeName(`${path}.broken`);
    renameSync(path, quarantinePath);
    return quarantinePath;
  }
}

/** What was set aside before is not to be lost either. */
function findFreeName(path: string): string {
  let name = path;
  for (let number = 2; existsSync(name); number += 1) name = `${path}-${number}`;
  return name;
}

/**
 * Configures a key, or with null takes its value away. Gives the file that a broken one was set aside to, or null. Rejects with
 * `UsageError` where the file cannot be written.
 */
export async function changeConfig(
  env: Environment,
  key: ConfigKey,
  value: string | null,
): Promise<string | null> {
  return changeFile(userFolders(env).config, configName, (store) =>
    value === null ? store.delete(key) : store.set(key, value),
  );
}
