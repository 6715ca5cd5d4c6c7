import type { Log } from '../../../src/shared/util/log.js';
import type { Job } from '../../jobs/job.js';
import type { Run } from '../../jobs/run.js';
import type { SavedCredentials } from '../../jobs/saved-credentials.js';
import type { JobQueue } from '../../queue/job-queue.js';
import type { ProgressTracker } from '../../queue/progress-tracker.js';
import type { RunPauses } from '../../queue/queue-run.js';
import type { Workers } from '../../queue/remote/workers.js';
import type { SlotSchedule } from '../../queue/slot-schedule.js';
import type { AccountStore } from '../../store/account-store.js';
import type { SetupStore } from '../../store/accounts/setup-store.js';
import type { JobListener, JobStore } from '../../store/job-store.js';

/** What a daemon gives to its records. */
export interface RecordsOptions {
  readonly dataFolder: string;
  readonly now: () => Date;
  readonly randomToken: () => string;
  readonly log: Log;
  /** Removes what else is stored of a job that was removed. */
  readonly onRemoved: (id: number) => Promise<void>;
}

/** What a queue needs besides the records. */
interface QueueParts {
  readonly progressTracker: ProgressTracker;
  readonly pauses: RunPauses;
  readonly schedule: SlotSchedule;
}

/** What the recovery of jobs needs. */
interface RecoveryParts {
  readonly queue: JobQueue;
  readonly pauses: Pick<RunPauses, 'freezes'>;
  /** Aborted before the store is closed. */
  readonly signal: AbortSignal;
}

/** Work that one daemon does for all that share its records. */
export interface SharedWork {
  start(): void;
  close(): Promise<void>;
}

/**
 * Where a daemon keeps its jobs, accounts, credentials and its queue: its data folder, or a database that several
 * daemons share.
 */
export interface Records {
  readonly store: JobStore;
  readonly accounts: AccountStore;
  /** The accounts as commands change them. */
  readonly setup: SetupStore;
  readonly savedCredentials: SavedCredentials;
  /** The same for a run: they are read again until the database answers, because a run must not fail for that. */
  credentialsOfRun(run: Pick<Run, 'job' | 'signal'>): SavedCredentials;
  /**
   * Ensures that there is an owner's key, the given one if any, and that commands of the same user find it in the data
   * folder.
   */
  ensureOwner(key?: string): Promise<unknown>;
  /** Calls a listener after the changes of jobs by this daemon: each change is reported in one daemon. */
  watchOwn(listener: JobListener): void;
  /** Whether this daemon, or an earlier process on its data folder, has claimed a job and nothing else has since. */
  isOwnRun(job: Job): boolean;
  openQueue(parts: QueueParts): Promise<JobQueue>;
  openWorkers(leaseMs: number): Promise<Workers>;
  /**
   * Continues the runs of the jobs that remote workers hold. Nothing to do where any daemon continues a claim with its
   * next report.
   */
  resumeClaims(resume: (job: Job) => void): Promise<void>;
  /** Puts the jobs of an earlier process of this daemon back in the queue. */
  recover(parts: RecoveryParts): Promise<void>;
  /** Starts the work whenever this daemon is the one that does it, and closes it when it no longer is. */
  startSharedWork(open: () => SharedWork): void;
  /** Closes the shared work and gives it to another daemon. */
  closeSharedWork(): Promise<void>;
  /**
   * Resolves to why the database cannot be used at the moment, as a sentence, or to null if it can: after at most the
   * given time, if any. Null without a database.
   */
  readonly databaseProblem: ((maxWaitMs?: number) => Promise<string | null>) | null;
  close(): Promise<void>;
}
