import type { Job } from '../jobs/job.js';
import type { RunHandler, StopReason } from '../jobs/run.js';
import type { WaitingJob } from './waiting-jobs.js';

/** Which jobs and outputs a machine accepts. */
export interface OutputSelection {
  /** Whether it takes anything of a waiting job. Jobs with the same account, labels and needs have the same answer. */
  readonly accepts: (job: WaitingJob) => boolean;
  /** The ids of the outputs that it makes in one run, the others being left to other machines; null for all. */
  readonly outputsOf: (job: Job) => readonly number[] | null;
}

/** Takes every job whole. */
export const acceptAll: OutputSelection = { accepts: () => true, outputsOf: () => null };

/** The options of `JobQueue.work`. */
export interface WorkOptions {
  /** Maximum number of concurrent runs; 0 starts none. */
  readonly slots: number;
  /** What the daemon itself takes; everything by default. */
  readonly selection?: OutputSelection;
}

/** What runs one job: a slot of the daemon, or a remote worker that waits for a job. */
export interface JobOffer extends OutputSelection {
  /** Name of the remote worker; null for the daemon itself. */
  readonly worker: string | null;
  readonly handler: RunHandler;
}

/**
 * Assigns jobs to runs. Every implementation passes `test/contracts/job-queue.ts`.
 *
 * - Each enqueued job is run at least once, by one run at a time. A run that lost its claim cannot change
 *   anything any more (fencing by token).
 * - The account with the fewest running jobs comes first. Of its jobs, those with the highest `priority` begin first,
 *   in the order in which they were enqueued.
 * - A handler that throws does not harm the queue: the error is logged and the job fails with it. A job also
 *   fails if its handler ends before the job does.
 * - A run that makes only some outputs leaves the job `waiting` for the others when it has ended. It comes before the
 *   other jobs of its account and priority.
 * - A job that crashed twice before runs alone, so that no other job is blamed for its crash.
 */
export interface JobQueue {
  /** Whether other daemons run jobs of the same queue. */
  readonly isShared: boolean;
  /**
   * Puts a job at the end of the queue. A job that waits already keeps its position; one that is running gets
   * another run afterwards if it is `waiting` then. Does nothing after `close`: the next start finds the job.
   */
  enqueue(job: Job): Promise<void>;
  /** Starts to run jobs. May be called once. */
  work(handler: RunHandler, options: WorkOptions): void;
  /**
   * Offers to run one job in another process: the next one that the offer accepts. Resolves to true once the handler
   * runs, to false if the signal was aborted first or the queue is closed.
   */
  offer(offer: JobOffer, signal: AbortSignal): Promise<boolean>;
  /** Looks for jobs that can start now: a machine no longer takes jobs, and others take those that it would have. */
  startRuns(): void;
  /**
   * A waiting job that meets a condition; null if there is none, or if the queue does not know its waiting jobs. Jobs
   * with the same account, labels and needs have the same answer.
   */
  findWaiting(condition: (job: WaitingJob) => boolean): WaitingJob | null;
  /** Continues the run of a job whose claim a remote worker has held since before this start. */
  resume(job: Job, handler: RunHandler): void;
  /**
   * The pause of a job has begun or ended: a running one is stopped and its slot is free, or it goes on in the next free
   * slot; a waiting one leaves the queue, or waits again before the others of its account and priority.
   */
  followPause(job: Job): void;
  /** A remote worker has reported that it runs a job. */
  renew(id: number): void;
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
   * grace period at once. Remote workers keep their claims.
   */
  close(graceMs: number): Promise<void>;
}
