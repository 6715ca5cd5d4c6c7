import type { JobState } from '../../src/api/states.js';
import type { JobDraft } from '../jobs/draft.js';
import type { Job } from '../jobs/job.js';

/** Which jobs to list: newest (greatest id) first. */
export interface JobFilter {
  readonly accountId?: string;
  readonly state?: JobState;
  readonly offset: number;
  readonly limit: number;
}

/** One page of a list and the number of all jobs that the filter matches. */
export interface JobPage {
  readonly jobs: readonly Job[];
  readonly total: number;
}

/**
 * Keeps jobs. Every implementation is held to `test/contracts/job-store.ts`.
 *
 * - A promise of `create` or `update` resolves only when the change survives a crash of the machine.
 * - A crash between any two steps leaves the old job or the new one, whole, never a mixture or nothing.
 * - Updates of one job happen one after the other, each on the result of the one before; of different jobs, side
 *   by side.
 * - Ids of a job and of all its parts are one consecutive block, greater than every id given before, for ever.
 */
export interface JobStore {
  /** Numbers a draft and keeps it. Rejects with `OutOfSpaceError` where there is no room; nothing is kept then. */
  create(draft: JobDraft): Promise<Job>;
  /** The job, or null where there never was one. Rejects with `GoneError` where its record is damaged. */
  get(id: number): Promise<Job | null>;
  /** The job that an input or output id belongs to, or null. Other ids, those of jobs included, give null. */
  findByFile(fileId: number): Promise<Job | null>;
  list(filter: JobFilter): Promise<JobPage>;
  /** Every job that is not final, oldest first: what a start has to take up again. */
  active(): Promise<readonly Job[]>;
  /**
   * Replaces a job by what `change` makes of it, and resolves to that. When `change` throws, nothing is changed and
   * the promise rejects with its error; when it returns the job it was given, nothing is written.
   * Rejects with `NotFoundError` where there is no such job.
   */
  update(id: number, change: (job: Job) => Job): Promise<Job>;
  /** Resolves when all that was begun is kept; nothing may be asked of the store afterwards. */
  close(): Promise<void>;
}
