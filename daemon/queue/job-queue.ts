import type { RunHandler, StopReason } from '../jobs/run.js';

/** The options of `JobQueue.work`. */
export interface WorkOptions {
  /** Maximum number of concurrent runs; 0 starts none. */
  readonly slots: number;
}

/**
 * Assigns jobs to runs. Every implementation passes `test/contracts/job-queue.ts`.
 *
 * - Each enqueued job is run at least once, by one run at a time. A run that lost its claim cannot change
 *   anything any more (fencing by token).
 * - Jobs begin in the order in which they were enqueued.
 * - A handler that throws does not harm the queue: the error is logged and the job fails with it. A job also
 *   fails if its handler ends before the job does.
 * - A job that crashed twice before runs alone, so that no other job is blamed for its crash.
 */
export interface JobQueue {
  /**
   * Puts a job at the end of the queue. A job that waits already keeps its position; one that is running gets
   * another run afterwards if it is `waiting` then. Does nothing after `close`: the next start finds the job.
   */
  enqueue(id: number): Promise<void>;
  /** Starts to run jobs. May be called once. */
  work(handler: RunHandler, options: WorkOptions): void;
  /**
   * Stops the run of a job, if there is one, and resolves when the run has ended. Removes the job from the
   * queue. The caller writes the new state of the job, before or after; otherwise the run leaves the job
   * `waiting`.
   */
  stop(id: number, reason: StopReason): Promise<void>;
  /** Whether the job is running in this queue. */
  isRunning(id: number): boolean;
  /** The jobs that are running in this queue, oldest run first. */
  running(): readonly number[];
  /**
   * Accepts no more jobs, gives working runs `graceMs` to end, stops the rest and puts their jobs back to
   * `waiting`. Runs that only wait get no grace period. Resolves when no run is left. A second call ends the
   * grace period at once.
   */
  close(graceMs: number): Promise<void>;
}
