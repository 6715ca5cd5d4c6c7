import type { RunHandler, StopReason } from '../jobs/run.js';

/** How the work is done. */
export interface WorkOptions {
  /** How many runs go on at once; 0 starts none. */
  readonly slots: number;
}

/**
 * Hands jobs to runs. Every implementation is held to `test/contracts/job-queue.ts`.
 *
 * - Each job that was enqueued is run at least once, by one run at a time; a run that lost its claim can change
 *   nothing any more (fencing by token).
 * - Jobs begin in the order in which they were enqueued.
 * - A handler that throws does not harm the queue; it reports, and the job is failed with what was thrown. So is a
 *   job whose handler ends before the job does.
 * - A job that crashed twice before runs with no other beside it, so that no innocent one is blamed.
 */
export interface JobQueue {
  /**
   * Puts a job at the end of the line. A job that waits already keeps its place; one that is being run gets another
   * run afterwards, if it is `waiting` again then. After `close` nothing is taken: the next start finds the job.
   */
  enqueue(id: number): Promise<void>;
  /** Starts to run jobs. May be called once. */
  work(handler: RunHandler, options: WorkOptions): void;
  /**
   * Stops the run of a job, if there is one, and resolves when it has let go. Forgets the job if it waits. What
   * becomes of the job is the caller's to write, before or after; if nobody did, the run leaves it `waiting`.
   */
  stop(id: number, reason: StopReason): Promise<void>;
  /** Whether the job is being run here. */
  isRunning(id: number): boolean;
  /** The jobs that are being run here, oldest run first. */
  running(): readonly number[];
  /**
   * Takes no more jobs, gives running ones `graceMs` to end but for those that only wait, stops the rest and puts their jobs back to `waiting`.
   * Resolves when no run is left. Called again, it ends the grace at once.
   */
  close(graceMs: number): Promise<void>;
}
