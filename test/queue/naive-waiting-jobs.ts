import type { WaitingJob } from '../../daemon/queue/waiting-jobs.js';

/** The order of waiting jobs as its description has it, found by a search through all of them. */
export class NaiveWaitingJobs {
  #putBack: readonly WaitingJob[] = [];
  #queued: readonly WaitingJob[] = [];

  get size(): number {
    return this.#putBack.length + this.#queued.length;
  }

  has(id: number): boolean {
    return [...this.#putBack, ...this.#queued].some((job) => job.id === id);
  }

  push(job: WaitingJob): void {
    const known = [...this.#putBack, ...this.#queued].find(({ id }) => id === job.id);
    if (JSON.stringify(known) === JSON.stringify(job)) return;
    this.remove(job.id);
    this.#queued = [...this.#queued, job];
  }

  unshift(job: WaitingJob): void {
    this.remove(job.id);
    this.#putBack = [job, ...this.#putBack];
  }

  remove(id: number): void {
    this.#putBack = this.#putBack.filter((job) => job.id !== id);
    this.#queued = this.#queued.filter((job) => job.id !== id);
  }

  clear(): void {
    this.#putBack = [];
    this.#queued = [];
  }

  next(accepts: (job: WaitingJob) => boolean, active: ReadonlyMap<string, number>): WaitingJob | null {
    const activeOf = ({ accountId }: WaitingJob): number => active.get(accountId) ?? 0;
    // The sort is stable: of equal jobs, the one that waits longest is first.
    const queued = this.#queued
      .filter(accepts)
      .toSorted((a, b) => activeOf(a) - activeOf(b) || b.priority - a.priority);
    return this.#putBack.find(accepts) ?? queued[0] ?? null;
  }
}
