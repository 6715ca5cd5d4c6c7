import type { Change } from './change.js';
import type { Job } from './job.js';
import type { FileProgress } from './progress.js';

/** Why a run was stopped. It is the `reason` of the run's signal. */
export type StopReason = 'cancelled' | 'resubmitted' | 'draining' | 'claim-lost';

/** One attempt to carry a job out. Holds the job's claim; every change it makes is checked against it. */
export interface Run {
  /** The job as it was claimed. */
  readonly job: Job;
  /** Aborted, with a {@link StopReason}, when the run must end at once. */
  readonly signal: AbortSignal;
  /**
   * Makes a change to the job, durably. Rejects with `ClaimLostError` when the run no longer holds the job; the
   * signal is aborted as well then.
   */
  change(change: Change): Promise<Job>;
  /** Tells how far one input or output is. Goes to the progress book, never to disk. */
  progress(fileId: number, progress: FileProgress): void;
  /**
   * Tells that the run does nothing but wait until this settles, and settles likewise. A queue that closes meanwhile stops the run at
   * once: a grace is for work that may come to its end.
   */
  whileWaiting<T>(promise: Promise<T>): Promise<T>;
}

/** Carries one job out from its claim to its end. Must settle soon after its signal is aborted. */
export type RunHandler = (run: Run) => Promise<void>;
