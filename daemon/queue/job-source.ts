import type { Job } from '../jobs/job.js';
import type { JobOffer } from './job-queue.js';
import type { WaitingJob } from './waiting-jobs.js';

/**
 * How a run ended. `settled`: its job is stored as final or waiting; `unsettled`: that could not be stored;
 * `passed-on`: another daemon has the claim now.
 */
export type RunEnd = 'settled' | 'unsettled' | 'passed-on';

/** Confirms that a process holds a job. */
export interface JobClaims {
  /** See `Run.confirmClaim`. */
  confirm(id: number): Promise<AbortSignal>;
  /** See `Run.wasCutOffSince`. */
  wasCutOffSince(id: number, monotonicMs: number): Promise<boolean>;
}

/**
 * The waiting jobs of a queue, in the order in which they are run. A queue takes a job before it claims it in the
 * store, and ends it after its run.
 */
export interface JobSource {
  /**
   * Whether other daemons take jobs from the same source. The store then reports waiting jobs to it, and changes of a
   * job by others.
   */
  readonly isShared: boolean;
  /**
   * Adds a job at the end, or reports that it waits. One that has begun comes before the others of its account and
   * priority.
   */
  add(job: WaitingJob, options?: { readonly hasBegun: boolean }): void;
  /** Puts a job that was taken, and is not run, before all others. */
  putBack(job: WaitingJob): void;
  /** Removes a job that waits; no-op if absent. */
  remove(id: number): void;
  /** Removes all jobs from the memory of this process. */
  clear(): void;
  /**
   * Takes the next job that an offer accepts; null if there is none. A source in memory answers at once, so that
   * nothing can come in between. `activeByAccount` has the number of running jobs of each account of this process.
   */
  take(
    offer: Pick<JobOffer, 'worker' | 'accepts'>,
    activeByAccount: ReadonlyMap<string, number>,
  ): WaitingJob | null | Promise<WaitingJob | null>;
  /** A waiting job that meets a condition; see `JobQueue.findWaiting`. */
  find?(condition: (job: WaitingJob) => boolean): WaitingJob | null;
  /** Continues to hold the job of a remote worker, which was taken before, maybe by another process. */
  resume?(job: Job): void;
  /** The remote worker that runs a job has reported. */
  renew?(id: number): void;
  /** Confirms that this process holds jobs; absent if it cannot lose one without noticing. */
  readonly claims?: JobClaims;
  /** The run of a job that was taken has ended. */
  ended?(id: number, end: RunEnd): void;
}
