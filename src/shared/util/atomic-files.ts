import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Disk, type DiskFile, realDisk } from './disk.js';
import { randomToken } from './random-token.js';

/** Options of `replaceFile`. */
interface ReplaceOptions {
  readonly disk?: Disk;
  /** Makes the new name in a folder durable. */
  readonly syncFolder?: (folder: string) => Promise<void>;
  /** Whether the content must survive a power cut; true by default. */
  readonly isDurable?: boolean;
}

/**
 * Replaces a file so that a crash at any moment leaves either the complete old or the complete new content: temporary
 * file, fsync, rename, fsync of the folder. The file is readable and writable only by its owner (0600). Resolves when
 * the content is durable. Rejects with the system's error; the old content is then still in place, unless the last
 * step failed: then it may be either.
 *
 * Not write-file-atomic: version 8 requires Node 22, and it does not fsync the folder.
 */
export async function replaceFile(
  path: string,
  fill: (file: DiskFile, temporaryPath: string) => Promise<void>,
  options: ReplaceOptions = {},
): Promise<void> {
  const { disk = realDisk, syncFolder = disk.syncFolder, isDurable = true } = options;
  // Short and random: a name derived from the file name could exceed the limit of the file system.
  const temporary = join(dirname(path), temporaryPrefix + randomToken().slice(-12));
  try {
    const file = await disk.create(temporary);
    try {
      await fill(file, temporary);
      if (isDurable) await file.sync();
    } finally {
      await file.close();
    }
    await disk.rename(temporary, path);
  } catch (error) {
    await disk.remove(temporary).catch(() => undefined);
    throw error;
  }
  if (isDurable) await syncFolder(dirname(path));
}

/**
 * Atomic writes to many files of the same folders. Writes that end at about the same time share the fsync of their
 * folder, and a folder is created once.
 */
export class AtomicFiles {
  readonly #disk: Disk;
  readonly #mapError: (error: unknown) => unknown;
  readonly #folderSync: FolderSync;
  readonly #folders = new Set<string>();

  /** `mapError` converts the system's errors to those that the methods reject with. */
  constructor(disk: Disk, mapError: (error: unknown) => unknown = (error) => error) {
    this.#disk = disk;
    this.#mapError = mapError;
    this.#folderSync = new FolderSync(disk);
  }

  /** Replaces the text of a file, like {@link replaceFile}. */
  async write(path: string, text: string): Promise<void> {
    const syncFolder = (folder: string) => this.#folderSync.sync(folder);
    await this.#mapped(replaceFile(path, (file) => file.write(text), { disk: this.#disk, syncFolder }));
  }

  /** Replaces the text of a file that is too long for one string, like {@link replaceFile}. */
  async writeParts(path: string, parts: AsyncIterable<string>): Promise<void> {
    const fill = async (file: DiskFile) => {
      for await (const part of parts) await file.write(part);
    };
    const syncFolder = (folder: string) => this.#folderSync.sync(folder);
    await this.#mapped(replaceFile(path, fill, { disk: this.#disk, syncFolder }));
  }

  /** Renames a file. The new name survives a power cut once a later write to the folder does. */
  async move(from: string, to: string): Promise<void> {
    await this.#mapped(this.#disk.rename(from, to));
  }

  /** Creates a folder durably. A no-op if this object created it before. */
  async makeFolder(path: string): Promise<void> {
    if (this.#folders.has(path)) return;
    await this.#mapped(this.#disk.makeFolder(path).then(() => this.#folderSync.sync(dirname(path))));
    this.#folders.add(path);
  }

  async #mapped(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      throw this.#mapError(error);
    }
  }
}

interface SyncState {
  running: Promise<void> | null;
  /** The next fsync. All calls that arrive while one is running share it. */
  next: Promise<void> | null;
}

/**
 * Makes names in folders durable. Concurrent calls for one folder share one fsync. A call never joins an fsync that
 * has already begun, because that fsync may miss the change of the caller.
 */
export class FolderSync {
  readonly #disk: Disk;
  readonly #folders = new Map<string, SyncState>();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Resolves when every earlier change of the folder is durable. */
  sync(folder: string): Promise<void> {
    const state = this.#folders.get(folder) ?? { running: null, next: null };
    this.#folders.set(folder, state);
    if (state.next !== null) return state.next;
    if (state.running === null) return this.#begin(folder, state);
    const begin = () => this.#begin(folder, state);
    state.next = state.running.then(begin, begin);
    return state.next;
  }

  #begin(folder: string, state: SyncState): Promise<void> {
    state.next = null;
    const running = this.#disk.syncFolder(folder).finally(() => {
      if (state.running !== running) return;
      state.running = null;
      if (state.next === null) this.#folders.delete(folder);
    });
    state.running = running;
    return running;
  }
}

/** Prefix of temporary files, which are renamed when they are complete. */
export const temporaryPrefix = '.tmp-';

/** Far longer than any write of a small file takes. */
const abandonedAfterMs = 60_000;

/**
 * Whether this is the name of a temporary file of venc, or of the npm package `conf`, which writes its own next to the
 * target.
 */
export function isTemporaryName(name: string): boolean {
  return name.startsWith(temporaryPrefix) || /\.json\.tmp-[0-9a-f]{16}$/.test(name);
}

/**
 * The paths of temporary files that killed processes left in a folder. Only files older than a minute count, because
 * other processes may be writing without a lock.
 */
export async function abandonedFiles(folder: string): Promise<readonly string[]> {
  const paths = (await readdir(folder)).filter(isTemporaryName).map((name) => join(folder, name));
  const isAbandoned = await Promise.all(paths.map(isOld));
  return paths.filter((_, index) => isAbandoned[index]);
}

function isOld(path: string): Promise<boolean> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs < Date.now() - abandonedAfterMs,
    () => false,
  );
}
