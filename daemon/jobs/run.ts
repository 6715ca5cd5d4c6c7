import type { Job } from './job.js';
import type { Change } from './legal-changes.js';
import type { FileProgress } from './progress.js';
import type { RunObservation } from './run-observer.js';

/**
 * Why a run was stopped. It is the `reason` of the run's signal. `passed-on`: another daemon has the claim of the
 * remote worker now.
 */
export type StopReason =
  | 'cancelled'
  | 'passed-on'
  | 'resubmitted'
  | 'draining'
  | 'claim-lost'
  | 'daemon-stopped'
  | 'paused'
  | WorkerStopReason;

/** Why a remote worker no longer processes a job: it gave the job back, or it did not report in time. */
export type WorkerStopReason = 'worker-released' | 'worker-lost';

/** One attempt to process a job. It holds the claim of the job; every change it makes is checked against that claim. */
export interface Run {
  /** The job as it was claimed. */
  readonly job: Job;
  /** Aborted, with a {@link StopReason}, when the run must end at once. */
  readonly signal: AbortSignal;
  /**
   * Applies a change to the job and persists it. If the run no longer holds the claim, rejects with `ClaimLostError`
   * and aborts the signal. A remote worker numbers its changes: a number that is stored already changes nothing.
   */
  change(change: Change, changeNumber?: number): Promise<Job>;
  /** Reports the progress of one input or output. It is kept in memory, never on disk. */
  progress(fileId: number, progress: FileProgress): void;
  /**
   * Marks the run as idle until the promise settles, and settles like it. A queue that closes stops idle runs at once:
   * its grace period is for runs that are doing work.
   */
  whileWaiting<T>(promise: Promise<T>): Promise<T>;
  /**
   * Waits until the daemon has confirmed that this run still holds the claim, unless it did so a moment ago. Resolves
   * to a signal that is aborted once the confirmation is older than the lease: another worker may run the job then.
   * Rejects with the reason of `signal` if the run is stopped meanwhile. Absent if no other process can take the claim.
   */
  readonly confirmClaim?: () => Promise<AbortSignal>;
  /**
   * Confirms the claim now, and resolves to whether that has failed since a moment of the monotonic clock, in
   * milliseconds: this machine was cut off, and what a transfer could not reach may be there again. Rejects, and is
   * absent, as `confirmClaim`.
   */
  readonly wasCutOffSince?: (monotonicMs: number) => Promise<boolean>;
  /** The pause of the run; absent if it cannot be paused. */
  readonly pause?: PausableRun;
  /** Reports a stage to whatever observes the run; absent if nothing does. `inStage` of the pipeline calls it. */
  readonly startStage?: RunObservation['startStage'];
}

/** A slot of this machine that a run has, such as that of an encode. */
export interface HeldSlot {
  /** Gives it up until it is taken again. */
  release(): void;
  /** Waits until it is free, and takes it. Rejects with the reason of the signal if that is aborted before. */
  takeAgain(signal: AbortSignal): Promise<void>;
}

/** A run that a pause can stop: its programs stand still, and others use its slots. */
export interface PausableRun {
  /** Whether the run is paused. */
  readonly isOn: boolean;
  /** Resolves when the run is not paused. Rejects with the reason of the signal if that is aborted before. */
  whenEnded(signal: AbortSignal): Promise<void>;
  /** Gives up a slot while the run is paused. Call the returned function when the run does not need it any more. */
  hold(slot: HeldSlot): () => void;
}

/** Processes one job, from its claim to its end. Must settle soon after the signal of the run is aborted. */
export type RunHandler = (run: Run) => Promise<void>;
