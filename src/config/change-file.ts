import { existsSync, readFileSync, renameSync } from 'node:fs';
import { rmdir, unlink } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type Conf from 'conf';
import { isVencError, VencError } from '../shared/errors.js';
import { abandonedFiles } from '../shared/util/atomic-files.js';
import { makeFolder } from '../shared/util/disk.js';
import { type FileLock, tryFileLock } from '../shared/util/lock/file-lock.js';
import { diskReason, systemCode } from '../shared/util/system-code.js';
import { type ConfigKey, configName, parseFile } from './config.js';
import { type Environment, userFolders } from './folders.js';

/** The content of a configuration file during a change. */
type Store = Conf<Record<string, unknown>>;

/**
 * Maximum wait for the lock of a file, and the interval of attempts, in milliseconds. A change takes a few
 * milliseconds.
 */
const lockWaitMs = 10_000;
const lockPauseMs = 15;

/**
 * Changes a file in the configuration folder; only its owner can read it. Concurrent changes by several processes run
 * one after the other. A broken file is renamed first, so that no content is lost; then resolves to its new path,
 * otherwise to null. Rejects with `UsageError` if the file cannot be written.
 */
export async function changeFile(
  folder: string,
  name: string,
  change: (store: Store) => void,
): Promise<string | null> {
  const path = `${folder}/${name}.json`;
  try {
    // conf would create it too, but it never returns if that is impossible.
    await makeFolder(folder, 0o700);
    const { default: FileStore } = await import('conf');
    return await withFileLock(path, async () => {
      for (const stalePath of await abandonedFiles(folder)) await unlink(stalePath).catch(() => {});
      const quarantinedPath = quarantineInvalidFile(path);
      // Names of targets can contain dots.
      const options = { configFileMode: 0o600, accessPropertiesByDotNotation: false };
      change(new FileStore<Record<string, unknown>>({ cwd: folder, configName: name, ...options }));
      return quarantinedPath;
    });
  } catch (error) {
    throw new VencError('UsageError', `${path} cannot be written: ${diskReason(error, 'write')}.`, {
      cause: error,
      hint: 'set XDG_CONFIG_HOME to use another folder',
    });
  }
}

/**
 * A change is a read and a write. Without the lock, the slower of two processes would undo the change of the faster
 * one.
 */
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
      if (!isVencError(error) || systemCode(error.cause) !== 'EISDIR') throw error;
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

/** Files that were renamed earlier must not be overwritten. */
function findFreeName(path: string): string {
  let name = path;
  for (let number = 2; existsSync(name); number += 1) name = `${path}-${number}`;
  return name;
}

/**
 * Sets a key of the configuration, or deletes it if `value` is null. Resolves to the new path of a broken
 * configuration file, or null. Rejects with `UsageError` if the file cannot be written.
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
