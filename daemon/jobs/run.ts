import type { Job } from './job.js';
import type { Change } from './legal-changes.js';
import type { FileProgress } from './progress.js';
import type { RunObservation } from './run-observer.js';

/** Why a run was stopped. It is the `reason` of the run's signal. */
export type StopReason = 'cancelled' | 'resubmitted' | 'draining' | 'claim-lost';

/** One attempt to process a job. It holds the claim of the job; every change it makes is checked against that claim. */
export interface Run {
  /** The job as it was claimed. */
  readonly job: Job;
  /** Aborted, with a {@link StopReason}, when the run must end at once. */
  readonly signal: AbortSignal;
  /**
   * Applies a change to the job and persists it. If the run no longer holds the claim, rejects with `ClaimLostError` and aborts the
   * signal.
   */
  change(change: Change): Promise<Job>;
  /** Reports the progress of one input or output. It is kept in memory, never on disk. */
  progress(fileId: number, progress: FileProgress): void;
  /**
   * Marks the run as idle until the promise settles, and settles like it. A queue that closes stops idle runs at once: its grace period
   * is for runs that are doing work.
   */
  whileWaiting<T>(promise: Promise<T>): Promise<T>;
  /** Reports a stage to whatever observes the run; absent if nothing does. `inStage` of the pipeline calls it. */
  readonly startStage?: RunObservation['startStage'];
}

/** Processes one job, from its claim to its end. Must settle soon after the signal of the run is aborted. */
export type RunHandler = (run: Run) => Promise<void>;
