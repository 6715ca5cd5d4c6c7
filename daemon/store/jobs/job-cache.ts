import { VencError } from '../../../src/shared/errors.js';
import { isFinal } from '../../../src/shared/states.js';
import type { Job } from '../../jobs/job.js';
import { type DataLayout, jobFile } from '../data-folder/layout.js';
import type { DamagedJobs } from './damaged-jobs.js';
import type { JobDocument } from './job-document.js';
import { readJobFile } from './job-file-reader.js';
import { indexEntry, JobIndex } from './job-index.js';
import type { LoadedJobs } from './read-jobs.js';
import { RecentJobs } from './recent-jobs.js';

/** Up to twelve thousand jobs of one output in each of two generations: about 20 MB each (measured: 1.8 kB a job). */
const maxRecentParts = 24_000;

/**
 * What the store knows of its jobs: the index of all, every active job in full, and of the final ones those that
 * were asked for last. The rest is read when it is asked for.
 */
export class JobCache {
  readonly index: JobIndex;
  readonly #layout: DataLayout;
  readonly #damaged: DamagedJobs;
  readonly #active = new Map<number, JobDocument>();
  readonly #recent = new RecentJobs(maxRecentParts);

  constructor(layout: DataLayout, damaged: DamagedJobs, found: LoadedJobs) {
    this.#layout = layout;
    this.#damaged = damaged;
    for (const document of found.active) this.#active.set(document.job.id, document);
    const entries = [...found.done, ...found.active.map(({ job }) => indexEntry(job))];
    this.index = new JobIndex(entries, found.removed.entries);
  }

  /** The job, if it is in memory. */
  getCached(id: number): JobDocument | undefined {
    return this.#active.get(id) ?? this.#recent.get(id);
  }

  /** Every job that is not final, in no order. */
  active(): readonly Job[] {
    return Array.from(this.#active.values(), ({ job }) => job);
  }

  /** Takes in what is on the disk now. */
  put(document: JobDocument): void {
    const { id, state } = document.job;
    if (isFinal(state)) {
      this.#active.delete(id);
      this.#recent.set(document);
    } else {
      this.#recent.delete(id);
      this.#active.set(id, document);
    }
    this.index.put(indexEntry(document.job));
  }

  /** Forgets a job that is removed for good. */
  remove(id: number): void {
    this.#active.delete(id);
    this.#recent.delete(id);
    this.index.forget(id);
  }

  /**
   * The job from memory or from its file, null where there never was one. Rejects with `GoneError` where the file is
   * damaged, which sets it aside. One call for a job at a time, and none while it is written.
   */
  async load(id: number): Promise<JobDocument | null> {
    const getCached = this.getCached(id);
    if (getCached !== undefined) return getCached;
    const entry = this.index.get(id);
    if (entry !== undefined) {
      const path = jobFile(this.#layout, id, entry.state);
      const found = await readJobFile(path, id);
      if (found.kind === 'whole') {
        this.put(found.data);
        return found.data;
      }
      this.index.delete(id);
      if (found.kind === 'missing') this.#damaged.recordMissing(id, path);
      else await this.#damaged.quarantine(id, path, found.reason);
    }
    if (!this.#damaged.has(id)) return null;
    throw new VencError('GoneError', `The record of job ${id} is damaged.`, {
      hint: 'Submit the job again; what is left of its record lies in the folder "damaged" of the data folder.',
    });
  }

  /** Takes in, and resolves to, what a failed write left: only the disk knows whether it is the job before or the one after. */
  async reconcile(before: JobDocument): Promise<Job> {
    const { id } = before.job;
    const paths = [jobFile(this.#layout, id, 'waiting'), jobFile(this.#layout, id, 'finished')];
    let newest = before;
    for (const path of paths) {
      const found = await readJobFile(path, id);
      if (found.kind === 'whole' && found.data.revision > newest.revision) newest = found.data;
    }
    this.put(newest);
    return newest.job;
  }
}
