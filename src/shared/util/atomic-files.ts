import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { type Disk, type DiskFile, realDisk } from './disk.js';
import { FolderSync } from './folder-sync.js';
import { temporaryPrefix } from './temporary-files.js';

/** How a file is replaced. */
export interface ReplaceOptions {
  readonly disk?: Disk;
  /** Makes the new name in a folder survive a power cut. */
  readonly syncFolder?: (folder: string) => Promise<void>;
}

/**
 * Replaces a file so that a crash at any moment leaves the old content or the new one, never a part: temporary file, fsync, rename, fsync of
 * the folder. The file is readable and writable for its owner alone (0600). Resolves when the content survives a power cut. Rejects with
 * the system's error; the old content is then still in place, unless the last step failed: then it may be either.
 *
 * Not write-file-atomic: version 8 needs Node 22, and it does not fsync the folder.
 */
export async function replaceFile(
  path: string,
  fill: (file: DiskFile, temporaryPath: string) => Promise<void>,
  options: ReplaceOptions = {},
): Promise<void> {
  const { disk = realDisk, syncFolder = disk.syncFolder } = options;
  // Short and random: a name made of the file's own could grow beyond what a file system takes.
  const temporary = join(dirname(path), temporaryPrefix + randomBytes(6).toString('hex'));
  try {
    const file = await disk.create(temporary);
    try {
      await fill(file, temporary);
      await file.sync();
    } finally {
      await file.close();
    }
    await disk.rename(temporary, path);
  } catch (error) {
    await disk.remove(temporary).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(path));
}

/**
 * Atomic writes to many files of the same folders: writes that end at about the same time share the fsync of their folder, and a folder is
 * created once.
 */
export class AtomicFiles {
  readonly #disk: Disk;
  readonly #mapError: (error: unknown) => unknown;
  readonly #folderSync: FolderSync;
  readonly #folders = new Set<string>();

  /** `mapError` turns the system's errors into those that the methods reject with. */
  constructor(disk: Disk, mapError: (error: unknown) => unknown = (error) => error) {
    this.#disk = disk;
    this.#mapError = mapError;
    this.#folderSync = new FolderSync(disk);
  }

  /** Replaces a file's text as {@link replaceFile} does. */
  async write(path: string, text: string): Promise<void> {
    const syncFolder = (folder: string) => this.#folderSync.sync(folder);
    await this.#mapped(replaceFile(path, (file) => file.write(text), { disk: this.#disk, syncFolder }));
  }

  /** Creates a folder whose name survives a power cut. A no-op if this object created it before. */
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
