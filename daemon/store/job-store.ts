import type { JobState } from '../../src/shared/states.js';
import type { JobDraft } from '../jobs/draft.js';
import type { Job } from '../jobs/job.js';
import type { JobTerms } from '../jobs/search.js';

/** Which jobs to list. They are ordered by id, newest (greatest) first. */
export interface JobFilter {
  readonly accountId?: string;
  readonly state?: JobState;
  /** Only jobs that a search finds. */
  readonly search?: JobSearch;
  readonly offset: number;
  readonly limit: number;
}

/** A search, which reads the records of jobs, newest first. Those in other states or of other accounts do not count. */
export interface JobSearch extends JobTerms {
  /** The number of jobs that it reads at most. */
  readonly maxJobs: number;
  /** The time after which it reads no further ones, in milliseconds. */
  readonly maxMs: number;
  /** Ends it; the list rejects with the reason. */
  readonly signal?: AbortSignal;
}

/** How far a search went. */
export interface SearchExtent {
  /** The number of jobs that it read. */
  readonly readCount: number;
  /** Whether it reached one of its limits, so that older jobs were not read. */
  readonly isPartial: boolean;
}

/** One page of a list, and the number of all jobs that match the filter. */
export interface JobListPage {
  readonly jobs: readonly Job[];
  /** Of a search: the number of those that it found. */
  readonly total: number;
  /** Absent without a search. */
  readonly search?: SearchExtent;
}

/** Which final jobs to remove. */
export interface RemovableFilter {
  /** Jobs that ended earlier; null for none. */
  readonly endedBefore: Date | null;
  /** The number of jobs that may remain: the oldest of the others; null for all. */
  readonly maxCount: number | null;
  readonly limit: number;
}

/** Days of a report, both ends included, as `YYYY-MM-DD` in UTC. */
export interface UsageFilter {
  readonly accountId: string;
  readonly from: string;
  readonly to: string;
}

/** The usage of an account's finished outputs on one day and in one grouping. */
export interface AccountDailyUsage {
  /** The UTC day on which the outputs finished. */
  readonly day: string;
  /** null for jobs without one. */
  readonly grouping: string | null;
  readonly encodedMs: number;
  /** The same without test jobs. */
  readonly billableMs: number;
}

/** The options of a create. */
export interface CreateOptions {
  /**
   * Throws if the account of the draft may not have another job, by the number of its jobs that wait. No other create
   * with this option, of any process, changes that number before the job is stored.
   */
  readonly requireRoom?: (waitingCount: number) => void;
}

/** How long an idempotency key refers to the job that was created under it (contract, section 4). */
export const idempotencyTtlMs = 24 * 60 * 60 * 1000;

/**
 * Called after a job was created or changed durably; `before` is null for a new job, and `job` itself if
 * another process changed a job whose earlier state is not known here. Errors that it throws are logged.
 */
export type JobListener = (job: Job, before: Job | null) => void;

/** Learns which jobs are removed. Must not throw. */
export interface RemovalListener {
  /** Called after a job was removed durably. */
  onRemoved(id: number, accountId: string): void;
  /** Called if removals by other processes may have been missed. `changesSince` has them, or does not know the position. */
  onGap(): void;
}

/** The ids of the jobs that changed and of those that were removed. */
export interface ChangedJobs {
  readonly changed: readonly number[];
  readonly removed: readonly number[];
}

/**
 * Stores jobs. Every implementation passes `test/contracts/job-store.ts`.
 *
 * - A promise of `create` or `update` resolves only when the change survives a crash of the machine.
 * - A crash between any two steps leaves the old job or the new one, complete, never a mixture or nothing.
 * - Updates of one job run one after the other, each on the result of the previous one; updates of different
 *   jobs run concurrently.
 * - The ids of a job and of all its parts are one consecutive block, greater than every id given before. Ids
 *   are never reused.
 */
export interface JobStore {
  /**
   * Assigns ids to a draft and stores it. Rejects with `OutOfSpaceError` if there is no space; nothing is
   * stored then. If a job of the same account has the draft's idempotency key and is less than 24 hours
   * older, nothing is stored and that job is returned; of concurrent drafts with one key, one is stored. A
   * job with a damaged record releases its key. Rejects with what `requireRoom` throws; nothing is stored then.
   */
  create(draft: JobDraft, options?: CreateOptions): Promise<Job>;
  /**
   * The account's job that was created under this idempotency key after `since`; null if there is none, or if
   * its record is damaged. Keys that are older than `idempotencyTtlMs` may be forgotten.
   */
  findByIdempotencyKey(accountId: string, key: string, since: Date): Promise<Job | null>;
  /** The job, or null if there never was one. Rejects with `GoneError` if its record is damaged. */
  get(id: number): Promise<Job | null>;
  /** Whether there is a job with this id, including one with a damaged record. Reads no record. */
  has(id: number): Promise<boolean>;
  /** The job that an input or output id belongs to. Null for all other ids, including those of jobs. */
  findByFile(fileId: number): Promise<Job | null>;
  list(filter: JobFilter): Promise<JobListPage>;
  /** Every job that is not final, oldest first: the jobs that a start has to recover. */
  active(): Promise<readonly Job[]>;
  /**
   * The ids of final jobs that a filter selects, those that ended first, oldest first. Jobs with pending notifications
   * are neither selected nor counted. Needs no disk access.
   */
  listRemovable(filter: RemovableFilter): Promise<readonly number[]>;
  /** Every job with pending notifications, oldest first. */
  listWithNotifications(): Promise<readonly Job[]>;
  /**
   * The usage of finished outputs, by day and grouping; days without any are omitted. Ordered by day, then
   * outputs without grouping first, then by name. Needs no disk access.
   */
  usage(filter: UsageFilter): Promise<readonly AccountDailyUsage[]>;
  /** The bytes of an account's hosted outputs that have not expired. */
  hostedBytes(accountId: string, now: Date): Promise<number>;
  /**
   * Calls a listener after every stored create and update, in the order of each job's changes and before the
   * promise of the change resolves, until the returned function is called.
   */
  watch(listener: JobListener): () => void;
  /** Calls a listener after every removal, until the returned function is called. */
  watchRemoved(listener: RemovalListener): () => void;
  /**
   * Resolves to the position in the order of all changes and removals: later reads have all that is before it. No clock
   * decides the order.
   */
  readPosition(): Promise<string>;
  /** The same, or an earlier position: listeners were called for all that is before it. */
  reportedPosition(): string;
  /**
   * The jobs of an account, or with null of all accounts, that changed or were removed after a position, which may be
   * that of an earlier process. Some that changed before may be among them. Null if the position is unknown or too old.
   */
  changesSince(position: string, accountId: string | null): Promise<ChangedJobs | null>;
  /**
   * Replaces a job with the result of `change`, and resolves to it. If `change` throws, nothing is changed
   * and the promise rejects with its error; if it returns the given job, nothing is written. Rejects with
   * `NotFoundError` if there is no such job.
   */
  update(id: number, change: (job: Job) => Job): Promise<Job>;
  /**
   * Removes a final job permanently, and resolves to it. Its usage is kept, its ids are never reused, and its
   * idempotency key is released. Of the listeners only those of `watchRemoved` are called. A crash leaves the whole job or nothing of it.
   * Rejects with `NotFoundError` if there is no such job, with `ConflictError` if it is not final.
   */
  remove(id: number): Promise<Job>;
  /**
   * The URLs of hosted files of jobs that earlier processes removed, until `forgetRemovedFiles` is called.
   */
  removedFiles(): readonly string[];
  /** Records that the files of `removedFiles` are gone. */
  forgetRemovedFiles(): Promise<void>;
  /** Records that the hosted files of jobs that this process removed are gone. */
  forgetFilesOf(removed: readonly Job[]): Promise<void>;
  /** Resolves when all pending changes are stored. The store must not be used afterwards. */
  close(): Promise<void>;
}
