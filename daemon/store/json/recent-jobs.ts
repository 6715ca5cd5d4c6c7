import type { JobDocument } from './job-document.js';

/**
 * The final jobs that were asked for last, parsed, so that a list need not read a file for every line.
 * Bounded by a number of jobs; the one not asked for longest goes first.
 */
export class RecentJobs {
  readonly #limit: number;
  // A Map keeps the order of insertion, so its first entry is the one used longest ago.
  readonly #jobs = new Map<number, JobDocument>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(id: number): JobDocument | undefined {
    const found = this.#jobs.get(id);
    if (found === undefined) return undefined;
    this.#jobs.delete(id);
    this.#jobs.set(id, found);
    return found;
  }

  set(document: JobDocument): void {
    this.#jobs.delete(document.job.id);
    this.#jobs.set(document.job.id, document);
    for (const oldest of this.#jobs.keys()) {
      if (this.#jobs.size <= this.#limit) return;
      this.#jobs.delete(oldest);
    }
  }

  delete(id: number): void {
    this.#jobs.delete(id);
  }
}
