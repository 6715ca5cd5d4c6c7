import { dirname } from 'node:path';
import { isFinal } from '../../../src/shared/states.js';
import type { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import type { Disk } from '../../../src/shared/util/disk.js';
import type { Log } from '../../../src/shared/util/log.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import type { Job } from '../../jobs/job.js';
import { toWriteError } from '../data-folder/disk-errors.js';
import { type DataLayout, jobFile } from '../data-folder/layout.js';
import type { JobListener } from '../job-store.js';
import type { JobDocument } from './job-document.js';

/**
 * Writes job files, one per job: `jobs/active/ID.json` until the job is final, then `jobs/done/N/ID.json`. A
 * job that moves is written to its new path first and then removed from the old one; a crash in between
 * leaves both, and the revision shows the newer one. One write per job at a time. A durable write takes four
 * steps: this class, `AtomicFiles.write`, `replaceFile`, the disk.
 */
export class JobFileWriter {
  readonly #layout: DataLayout;
  readonly #disk: Disk;
  readonly #files: AtomicFiles;
  /** Files of jobs that could not be added. */
  readonly #rejected = new Set<string>();

  constructor(layout: DataLayout, disk: Disk, files: AtomicFiles) {
    this.#layout = layout;
    this.#disk = disk;
    this.#files = files;
  }

  /**
   * Writes a new job. Rejects as `AtomicFiles.write` does; no file is left then. A file that cannot be removed is
   * removed before the next job is added, because a repeated create would make a second job.
   */
  async add(document: JobDocument): Promise<void> {
    for (const path of this.#rejected) await this.#removeRejected(path);
    try {
      await this.#write(document);
    } catch (error) {
      // There is a file to remove only if the fsync of the folder failed.
      await this.#removeRejected(this.#pathOf(document)).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Replaces the file of a job. Rejects as `AtomicFiles.write` does; only the disk knows then which version
   * it has. Resolves to the length of its text.
   */
  async replace(before: JobDocument, after: JobDocument): Promise<number> {
    const length = await this.#write(after);
    const former = this.#pathOf(before);
    // If this fails, the next start finds two files and keeps the one with the greater revision.
    if (former !== this.#pathOf(after)) await this.#disk.remove(former).catch(() => undefined);
    return length;
  }

  /**
   * Deletes the file of a removed job, and one that a failed write left among the active ones. Never rejects.
   */
  async remove(id: number): Promise<void> {
    for (const state of ['waiting', 'finished'] as const)
      await this.#disk.remove(jobFile(this.#layout, id, state)).catch(() => undefined);
  }

  async #removeRejected(path: string): Promise<void> {
    this.#rejected.add(path);
    try {
      await this.#disk.remove(path);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw toWriteError(error);
    }
    this.#rejected.delete(path);
  }

  #pathOf({ job }: JobDocument): string {
    return jobFile(this.#layout, job.id, job.state);
  }

  async #write(document: JobDocument): Promise<number> {
    const path = this.#pathOf(document);
    if (isFinal(document.job.state)) await this.#files.makeFolder(dirname(path));
    const text = JSON.stringify(document);
    await this.#files.write(path, text);
    return text.length;
  }
}

/** The listeners for job changes. */
export class JobListeners {
  readonly #log: Log;
  /**
   * Each in an object of its own: a listener that was added twice is called twice, and is removed separately.
   */
  #subscriptions: readonly { readonly listener: JobListener }[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  /** Adds a listener; the returned function removes it. */
  add(listener: JobListener): () => void {
    const subscription = { listener };
    this.#subscriptions = [...this.#subscriptions, subscription];
    return () => {
      this.#subscriptions = this.#subscriptions.filter((other) => other !== subscription);
    };
  }

  /**
   * Calls all listeners after a stored change. Errors that they throw are logged and do not affect the
   * others.
   */
  emit(job: Job, before: Job | null): void {
    for (const { listener } of this.#subscriptions) {
      try {
        listener(job, before);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        this.#log('error', `A listener for job changes failed at job ${job.id}: ${why}`, {
          jobId: job.id,
        });
      }
    }
  }
}
