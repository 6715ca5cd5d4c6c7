import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { temporaryPrefix } from '../../../src/shared/util/temporary-files.js';
import type { Disk } from './disk.js';
import { writeError } from './disk-errors.js';
import { FolderSync } from './folder-sync.js';

/**
 * Writes files so that a crash at any moment leaves the old content or the new one, whole: a temporary file in
 * the same folder, fsync, rename, fsync of the folder. Files are for the owner alone (0600).
 */
export class DurableFiles {
  readonly #disk: Disk;
  readonly #folderSync: FolderSync;
  readonly #folders = new Set<string>();

  constructor(disk: Disk) {
    this.#disk = disk;
    this.#folderSync = new FolderSync(disk);
  }

  /**
   * Resolves when the text survives a power cut. Rejects with `OutOfSpaceError` where there is no room. After a
   * rejection the file holds the old text, except where the fsync of the folder failed: then it may hold either.
   */
  async write(path: string, text: string): Promise<void> {
    const folder = dirname(path);
    // Short and random: a name made of the file's own could grow beyond what a file system takes.
    const temporary = join(folder, temporaryPrefix + randomBytes(6).toString('hex'));
    try {
      await this.#writeSynced(temporary, text);
      await this.#disk.rename(temporary, path);
    } catch (error) {
      await this.#disk.remove(temporary).catch(() => undefined);
      throw writeError(error);
    }
    await this.#syncFolder(folder);
  }

  /** Makes a folder whose name survives a power cut. Costs nothing where this object made it before. */
  async makeFolder(path: string): Promise<void> {
    if (this.#folders.has(path)) return;
    try {
      await this.#disk.makeFolder(path);
    } catch (error) {
      throw writeError(error);
    }
    await this.#syncFolder(dirname(path));
    this.#folders.add(path);
  }

  async #writeSynced(path: string, text: string): Promise<void> {
    const file = await this.#disk.create(path);
    try {
      await file.write(text);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  async #syncFolder(folder: string): Promise<void> {
    try {
      await this.#folderSync.sync(folder);
    } catch (error) {
      throw writeError(error);
    }
  }
}
