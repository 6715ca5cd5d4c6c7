import { existsSync, readFileSync, renameSync } from 'node:fs';
import type Conf from 'conf';
import { VencError } from '../api/errors.js';
import { diskReason } from '../disk/disk-reason.js';
import { makeFolder } from '../disk/make-folder.js';
import { parseFile } from './parse-file.js';

/** A file of ours that is open for writing. */
export interface OpenedFile {
  readonly store: Conf<Record<string, unknown>>;
  /** Where a broken file was set aside; null where there was none. */
  readonly setAside: string | null;
}

/**
 * Opens a file below the configuration folder for changes, which only its owner may read. A broken one is set aside under another name, so
 * that nothing of it is lost. Rejects with `UsageError` where that is not possible.
 */
export async function openFile(folder: string, name: string): Promise<OpenedFile> {
  const path = `${folder}/${name}.json`;
  try {
    const setAside = setBrokenAside(path);
    // conf would make it too, and never end where that is not possible.
    await makeFolder(folder, 0o700);
    const { default: Store } = await import('conf');
    // Names of targets may have dots.
    const store = new Store<Record<string, unknown>>({
      cwd: folder,
      configName: name,
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
    });
    return { store, setAside };
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Makes a change to an opened file. Throws `UsageError` where it cannot be written. */
export function write({ store }: OpenedFile, change: (store: OpenedFile['store']) => void): void {
  try {
    change(store);
  } catch (error) {
    throw unwritable(store.path, error);
  }
}

function setBrokenAside(path: string): string | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
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

function unwritable(path: string, error: unknown): VencError {
  return new VencError('UsageError', `${path} cannot be written: ${diskReason(error, 'write')}.`, {
    cause: error,
    hint: 'XDG_CONFIG_HOME names another folder for it',
  });
}
