import type { JobState } from '../../src/shared/states.js';
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
export interface JobListPage {
  readonly jobs: readonly Job[];
  readonly total: number;
}

/** Days of a report, both ends included, as `YYYY-MM-DD` in UTC. */
export interface UsageFilter {
  readonly accountId: string;
  readonly from: string;
  readonly to: string;
}

/** What an account's finished outputs of one day and grouping come to. */
export interface AccountDailyUsage {
  /** The UTC day on which the outputs finished. */
  readonly day: string;
  /** null for jobs without one. */
  readonly grouping: string | null;
  readonly encodedMs: number;
  /** The same without test jobs. */
  readonly billableMs: number;
}

/** How long an idempotency key stands for the job that was created under it (contract, section 4). */
export const idempotencyTtlMs = 24 * 60 * 60 * 1000;

/** Called after a job was created or changed, durably; `before` is null where it is new. What it throws goes to the log. */
export type JobListener = (job: Job, before: Job | null) => void;

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
  /**
   * Numbers a draft and keeps it. Rejects with `OutOfSpaceError` where there is no room; nothing is kept then. Where
   * a job of the same account has the draft's idempotency key and is less than 24 hours older, nothing is kept and that job is
   * the answer; of several drafts with one key, asked for at once, one is kept. A job whose record is damaged sets its key free.
   */
  create(draft: JobDraft): Promise<Job>;
  /**
   * The account's job that was created under this idempotency key after `since`; null where there is none, or where its record
   * is damaged. Older keys than `onceLifeMs` may be forgotten.
   */
  findByIdempotencyKey(accountId: string, key: string, since: Date): Promise<Job | null>;
  /** The job, or null where there never was one. Rejects with `GoneError` where its record is damaged. */
  get(id: number): Promise<Job | null>;
  /** The job that an input or output id belongs to, or null. Other ids, those of jobs included, give null. */
  findByFile(fileId: number): Promise<Job | null>;
  list(filter: JobFilter): Promise<JobListPage>;
  /** Every job that is not final, oldest first: what a start has to take up again. */
  active(): Promise<readonly Job[]>;
  /** Every job that has notices to deliver, oldest first. */
  listWithNotifications(): Promise<readonly Job[]>;
  /**
   * What finished outputs come to, by day and grouping; days without any are missing. Ordered by day, then those without grouping
   * first, then by name. Costs no disk access.
   */
  usage(filter: UsageFilter): Promise<readonly AccountDailyUsage[]>;
  /**
   * Calls a listener after every create and update that is kept, in the order of each job's changes and before the promise of the
   * change resolves, until the function returned is called.
   */
  watch(listener: JobListener): () => void;
  /**
   * Replaces a job by what `change` makes of it, and resolves to that. When `change` throws, nothing is changed and
   * the promise rejects with its error; when it returns the job it was given, nothing is written.
   * Rejects with `NotFoundError` where there is no such job.
   */
  update(id: number, change: (job: Job) => Job): Promise<Job>;
  /**
   * Removes a final job for good, and resolves to it as it was. What it adds to the usage stays, its ids are never given again, and its
   * idempotency key is free. Listeners are not called. A crash leaves the job or nothing of it. Rejects with `NotFoundError` where there is
   * no such job, with `ConflictError` where it is not final.
   */
  remove(id: number): Promise<Job>;
  /**
   * The addresses of the hosted files of jobs that earlier processes removed, as far as nobody said that they are gone
   * (`forgetRemovedFiles`).
   */
  removedFiles(): readonly string[];
  /** Notes that the files of `removedFiles` are gone. Before anything is removed. */
  forgetRemovedFiles(): Promise<void>;
  /** Resolves when all that was begun is kept; nothing may be asked of the store afterwards. */
  close(): Promise<void>;
}
