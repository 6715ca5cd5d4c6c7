import { LRUCache } from 'lru-cache';
import { VencError } from '../../../src/shared/errors.js';
import { isFinal } from '../../../src/shared/states.js';
import type { Job } from '../../jobs/job.js';
import { type DataLayout, jobFile } from '../data-folder/layout.js';
import type { DamagedJobs } from './damaged-jobs.js';
import type { JobIndex } from './index/job-index.js';
import { indexEntry } from './index-entry.js';
import { type JobDocument, readJobFile } from './job-document.js';
import type { JobFileWriter } from './job-file-writer.js';
import type { LoadedJobs } from './read-jobs.js';

/** The maximum length of the texts of recently read jobs: about 2,700 jobs of 3 kB. */
const maxRecentLength = 8_000_000;

/**
 * The jobs in memory: the index of all jobs, every active job in full, and recently read final jobs. All
 * others are read from disk on demand.
 */
export class JobCache {
  readonly index: JobIndex;
  readonly #layout: DataLayout;
  readonly #damaged: DamagedJobs;
  readonly #active = new Map<number, JobDocument>();
  readonly #recent = new RecentJobs(maxRecentLength);

  readonly #unwritten: Pick<JobFileWriter, 'get'>;

  constructor(
    layout: DataLayout,
    damaged: DamagedJobs,
    found: LoadedJobs,
    unwritten: Pick<JobFileWriter, 'get'>,
  ) {
    this.#unwritten = unwritten;
    this.#layout = layout;
    this.#damaged = damaged;
    for (const document of found.active) this.#active.set(document.job.id, document);
    this.index = found.index;
  }

  /** The job, if it is in memory: also if its file is older, because it is in the journal. */
  getCached(id: number): JobDocument | undefined {
    return this.#active.get(id) ?? this.#recent.get(id) ?? this.#unwritten.get(id);
  }

  /** What the file of a job has at this moment, not kept in memory; null if there is no whole one. */
  async readFile(id: number): Promise<JobDocument | null> {
    const entry = this.index.get(id);
    if (entry === undefined) return null;
    const found = await readJobFile(jobFile(this.#layout, id, entry.state), id);
    return found.kind === 'whole' ? found.data : null;
  }

  /** Whether there is a job with this id, including one with a damaged record. */
  has(id: number): boolean {
    return this.index.get(id) !== undefined || this.#damaged.has(id);
  }

  /** Every job that is not final, in no particular order. */
  active(): readonly Job[] {
    return Array.from(this.#active.values(), ({ job }) => job);
  }

  /** Sets a job to the state that is on disk now, in a text of `length` characters. */
  put(document: JobDocument, length: number): void {
    const { id, state } = document.job;
    if (isFinal(state)) {
      this.#active.delete(id);
      this.#recent.add(document, length);
    } else {
      this.#recent.delete(id);
      this.#active.set(id, document);
    }
    this.index.put(indexEntry(document.job));
  }

  /** Removes a permanently removed job. */
  remove(id: number): void {
    this.#active.delete(id);
    this.#recent.delete(id);
    this.index.forget(id);
  }

  /**
   * The job from memory or from its file, null if there never was one. Rejects with `GoneError` if the file
   * is damaged, which is then quarantined. Calls for one job must not overlap with each other or with a write
   * of it.
   */
  async load(id: number): Promise<JobDocument | null> {
    const cached = this.getCached(id);
    if (cached !== undefined) return cached;
    const entry = this.index.get(id);
    if (entry !== undefined) {
      const path = jobFile(this.#layout, id, entry.state);
      const found = await readJobFile(path, id);
      if (found.kind === 'whole') {
        this.put(found.data, found.length);
        return found.data;
      }
      this.index.delete(id);
      if (found.kind === 'missing') this.#damaged.recordMissing(id, path);
      else await this.#damaged.quarantine(id, path, found.reason);
    }
    if (!this.#damaged.has(id)) return null;
    throw new VencError('GoneError', `The record of job ${id} is damaged.`, {
      hint: 'Submit the job again; what is left of its record is in the folder "damaged" of the data folder.',
    });
  }
}

/**
 * Recently read final jobs, parsed, so that lists and reads need not open a file each time. The limit is the length of
 * their texts: a parsed job takes about as much memory as its text.
 */
export class RecentJobs extends LRUCache<number, JobDocument> {
  constructor(maxLength: number) {
    super({ maxSize: maxLength });
  }

  /** Adds or replaces a job whose text has `length` characters. */
  add(document: JobDocument, length: number): void {
    this.set(document.job.id, document, { size: length + 1 });
  }
}
