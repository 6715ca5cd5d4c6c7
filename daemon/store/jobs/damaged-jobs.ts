import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disk } from '../../../src/shared/util/disk.js';
import type { Log } from '../../../src/shared/util/log.js';
import { idOfJobFile, jobFileName } from '../data-folder/layout.js';

/**
 * Job files that could not be read. They are moved to `DATA/damaged`, never deleted, so that a person can
 * inspect them. A repaired file may be put back while the daemon is stopped.
 */
export class DamagedJobs {
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #log: Log;
  readonly #names: Set<string>;
  readonly #ids = new Set<number>();

  private constructor(folder: string, disk: Disk, log: Log, names: readonly string[]) {
    this.#folder = folder;
    this.#disk = disk;
    this.#log = log;
    this.#names = new Set(names);
    for (const name of names) this.#ids.add(idOfDamaged(name) ?? 0);
    this.#ids.delete(0);
  }

  /** Loads the files that were quarantined earlier. The folder must exist. */
  static async open(folder: string, disk: Disk, log: Log): Promise<DamagedJobs> {
    return new DamagedJobs(folder, disk, log, await readdir(folder));
  }

  has(id: number): boolean {
    return this.#ids.has(id);
  }

  /** The greatest id among them, 0 if there is none. It must not be used again. */
  get maxId(): number {
    let maxId = 0;
    for (const id of this.#ids) maxId = Math.max(maxId, id);
    return maxId;
  }

  /**
   * Moves a job's file to the quarantine and logs it. Never rejects: one damaged file must not stop anything.
   */
  async quarantine(id: number, path: string, reason: string): Promise<void> {
    this.#ids.add(id);
    const target = join(this.#folder, this.#freeName(id));
    try {
      await this.#disk.rename(path, target);
      this.#log(
        'error',
        `The file of job ${id}, ${path}, is damaged: ${reason}. It was moved to ${target}.`,
        {
          jobId: id,
        },
      );
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#log('error', `The file of job ${id}, ${path}, is damaged: ${reason}. It stays there: ${why}.`, {
        jobId: id,
      });
    }
  }

  /** Records that the file of a known job has disappeared. */
  recordMissing(id: number, path: string): void {
    this.#ids.add(id);
    this.#log('error', `The file of job ${id}, ${path}, has disappeared.`, { jobId: id });
  }

  #freeName(id: number): string {
    let name = jobFileName(id);
    for (let copy = 1; this.#names.has(name); copy += 1) name = `${id}.${copy}.json`;
    this.#names.add(name);
    return name;
  }
}

/** The id in the name of a quarantined file: `7.json`, or `7.1.json` if that name was taken. */
export function idOfDamaged(name: string): number | null {
  return idOfJobFile(name.replace(/\.\d+\.json$/, '.json'));
}
