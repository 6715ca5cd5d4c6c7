import { dirname } from 'node:path';
import { isFinal } from '../../../src/shared/states.js';
import type { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import type { Disk } from '../../../src/shared/util/disk.js';
import { type DataLayout, jobFile } from '../data-folder/layout.js';
import type { JobDocument } from './job-document.js';

/**
 * Writes the files of jobs, one a job: `jobs/active/ID.json` until it is final, then `jobs/done/N/ID.json`. A job that moves is
 * first written where it goes and then removed where it was; a crash between leaves both, and the revision in them tells
 * the newer. One write of a job at a time.
 */
export class JobFileWriter {
  readonly #layout: DataLayout;
  readonly #disk: Disk;
  readonly #files: AtomicFiles;

  constructor(layout: DataLayout, disk: Disk, files: AtomicFiles) {
    this.#layout = layout;
    this.#disk = disk;
    this.#files = files;
  }

  /** Keeps a new job. Rejects as `AtomicFiles.write` does; nothing is kept then. */
  async add(document: JobDocument): Promise<void> {
    try {
      await this.#write(document);
    } catch (error) {
      // Only where the fsync of the folder failed is there anything to remove.
      await this.#disk.remove(this.#pathOf(document)).catch(() => undefined);
      throw error;
    }
  }

  /** Keeps what became of a job. Rejects as `AtomicFiles.write` does; only the disk knows then which of the two is kept. */
  async replace(before: JobDocument, after: JobDocument): Promise<void> {
    await this.#write(after);
    const former = this.#pathOf(before);
    // Should this fail, the next start finds two files, and the revision tells it which one to keep.
    if (former !== this.#pathOf(after)) await this.#disk.remove(former).catch(() => undefined);
  }

  /** Deletes the file of a job that is removed, and one that a failed write left among the active ones. Never rejects. */
  async remove(id: number): Promise<void> {
    for (const state of ['waiting', 'finished'] as const)
      await this.#disk.remove(jobFile(this.#layout, id, state)).catch(() => undefined);
  }

  #pathOf({ job }: JobDocument): string {
    return jobFile(this.#layout, job.id, job.state);
  }

  async #write(document: JobDocument): Promise<void> {
    const path = this.#pathOf(document);
    if (isFinal(document.job.state)) await this.#files.makeFolder(dirname(path));
    await this.#files.write(path, JSON.stringify(document));
  }
}
