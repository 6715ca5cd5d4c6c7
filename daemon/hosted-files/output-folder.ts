import { lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { numberedName } from '../../src/shared/text/file-names.js';
import { withoutExtension } from '../../src/shared/text/url-text.js';
import { replaceFile } from '../../src/shared/util/atomic-files.js';
import { identityOf, readTextFile } from '../../src/shared/util/disk.js';
import { systemCode } from '../../src/shared/util/system-code.js';
import { makeFolders, syncFolder } from '../transfer/folders.js';
import { copyToFile } from '../transfer/partial-file.js';
import { isToken } from './file-ref.js';
import { tryLink } from './try-link.js';

/** The hosted files of a token, which are complete. */
export interface CompleteFiles {
  readonly token: string;
  /** The name of the account, which is that of its folder. */
  readonly account: string;
  /** A safe file name: that of a single file; without its extension, that of the folder of several. */
  readonly name: string;
  /** Changes when the files were made again. */
  readonly version: string;
}

/** Begins a marker while the files have no final name yet. */
const prepared = 'prepared ';

/**
 * A folder that keeps the hosted files of a local store after they expire: links where the file system has them, else
 * copies. A file gets its final name, and several get that of their folder, when all of it is complete; no existing
 * file is replaced.
 *
 * The files of a token are put together in a temporary folder next to their final place. Then the marker
 * `.kept/TOKEN` of the store says that they are prepared, and the temporary folder disappears when they have
 * their final name. So a crash at any moment neither loses them nor keeps them twice.
 */
export class OutputFolder {
  readonly #hosted: string;
  readonly #folder: string;
  readonly #markers: string;

  constructor(hostedFolder: string, folder: string) {
    this.#hosted = hostedFolder;
    this.#folder = folder;
    this.#markers = join(hostedFolder, '.kept');
  }

  /**
   * Keeps files. Resolves to their path, or to null if they are kept already or no longer there. Rejects with the error
   * of the disk, and may be called again then.
   */
  async keep({ token, account, name, version }: CompleteFiles, signal: AbortSignal): Promise<string | null> {
    const marker = await readTextFile(this.#markerOf(token));
    if (marker === version) return null;
    const folder = join(this.#folder, account);
    const temporary = join(folder, `.venc-${token}.part`);
    if (marker !== prepared + version) {
      const names = await fileNamesIn(join(this.#hosted, token));
      if (names.length === 0) return null;
      await this.#makeAccountFolder(folder);
      await this.#prepare(token, names, temporary, signal);
      await this.#mark(token, prepared + version);
    }
    const path = await place(temporary, folder, name);
    await this.#mark(token, version);
    return path;
  }

  /**
   * The tokens with files that were not kept, or that changed since. Removes the markers of files that are gone.
   */
  async unkept(): Promise<ReadonlySet<string>> {
    const tokens = new Set<string>();
    const present = new Set<string>();
    for (const token of (await namesIn(this.#hosted)).filter(isToken)) {
      if ((await fileNamesIn(join(this.#hosted, token))).length === 0) continue;
      present.add(token);
      const marker = await readTextFile(this.#markerOf(token));
      const isOld = marker === null || marker.startsWith(prepared) || (await this.#hasNewFiles(token));
      if (isOld) tokens.add(token);
    }
    for (const name of await namesIn(this.#markers))
      if (!present.has(name)) await rm(join(this.#markers, name), { force: true });
    return tokens;
  }

  async #hasNewFiles(token: string): Promise<boolean> {
    const [files, marker] = await Promise.all([stat(join(this.#hosted, token)), stat(this.#markerOf(token))]);
    return files.mtimeMs >= marker.mtimeMs;
  }

  /** Not with its parents: a disk that is no longer mounted must not be replaced by a folder. */
  async #makeAccountFolder(folder: string): Promise<void> {
    await mkdir(folder).then(
      () => syncFolder(this.#folder),
      (error: unknown) => {
        if (systemCode(error) !== 'EEXIST') throw error;
      },
    );
  }

  async #prepare(token: string, names: readonly string[], to: string, signal: AbortSignal): Promise<void> {
    // What a crash left.
    await rm(to, { recursive: true, force: true });
    try {
      await mkdir(to);
      for (const name of names) await linkOrCopy(join(this.#hosted, token, name), join(to, name), signal);
      await syncFolder(to);
    } catch (error) {
      await rm(to, { recursive: true, force: true });
      throw error;
    }
  }

  async #mark(token: string, text: string): Promise<void> {
    await makeFolders(this.#markers, 0o700);
    await replaceFile(this.#markerOf(token), (file) => file.write(text));
  }

  #markerOf(token: string): string {
    return join(this.#markers, token);
  }
}

async function linkOrCopy(from: string, to: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (await tryLink(from, to)) return;
  const handle = await open(from, 'r');
  try {
    await copyToFile(handle, to, { transfer: { signal, onProgress: () => undefined }, isDurable: true });
  } finally {
    await handle.close();
  }
}

/** Gives prepared files a free name in a folder. Resolves to null if an earlier process has done it. */
async function place(temporary: string, folder: string, name: string): Promise<string | null> {
  const [first, ...others] = await namesIn(temporary);
  if (first === undefined) {
    await rm(temporary, { recursive: true, force: true });
    return null;
  }
  const isFolder = others.length > 0;
  const from = isFolder ? temporary : join(temporary, first);
  const wanted = isFolder ? withoutExtension(name) : name;
  const withNumber = (number: number) => (isFolder ? `${wanted}-${number}` : numberedName(wanted, number));
  let path = join(folder, wanted);
  for (let number = 2; !(await moveToFreeName(from, path, isFolder)); number += 1)
    path = join(folder, withNumber(number));
  await syncFolder(folder);
  await rm(temporary, { recursive: true, force: true });
  return path;
}

/** Resolves to false if something else has the name. `from` may be left in place as a link. */
async function moveToFreeName(from: string, to: string, isFolder: boolean): Promise<boolean> {
  if (!isFolder) {
    // Unlike a rename, a link never replaces a file.
    if (await tryLink(from, to)) return true;
  }
  const existing = await lstat(to, { bigint: true }).catch(() => null);
  if (existing !== null) {
    // A process that was killed has linked it.
    return !isFolder && identityOf(existing) === identityOf(await lstat(from, { bigint: true }));
  }
  await rename(from, to);
  return true;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  });
}

async function fileNamesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
