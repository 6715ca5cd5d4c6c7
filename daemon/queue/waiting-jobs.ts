import {
  classKey,
  firstEntry,
  isBefore,
  type JobClass,
  JobClassTable,
  type WaitingEntry,
  type WaitingJob,
} from './job-classes.js';

export type { WaitingJob };

/**
 * Decides which of the waiting jobs is run next. Uses neither the clock nor the store.
 *
 * - Jobs that were put back (`unshift`) come before all others, the last one first.
 * - The account with the fewest running jobs is next, so that an account with many jobs does not delay an account with few. Of several such
 *   accounts, it is the one whose next job has the greatest priority, then the one whose next job waits longest.
 * - Within an account, the greatest priority is first, then the job that waits longest.
 * - Jobs that are not accepted are passed over. The jobs of an account with equal labels and needs are a class: all or none are accepted.
 *
 * A heap orders the classes by their first jobs, so `push`, `unshift` and `remove` take logarithmic time in the number of classes, whatever
 * the number of jobs. `next` takes time in proportion to the classes that it passes over.
 */
export class WaitingJobs {
  readonly #entries = new Map<number, WaitingEntry>();
  #putBack = new JobClassTable();
  #queued = new JobClassTable();
  #lastSequence = 0;
  #firstSequence = 0;

  /** The number of waiting jobs. */
  get size(): number {
    return this.#entries.size;
  }

  /** Whether a job waits. */
  has(id: number): boolean {
    return this.#entries.has(id);
  }

  /**
   * Adds a job at the end. A job that waits already keeps its position, unless its account, priority, labels or needs have changed: then it is
   * removed and added. A job that has begun comes before the others of its account and priority.
   */
  push(job: WaitingJob, { hasBegun = false } = {}): void {
    const entry = this.#entries.get(job.id);
    if (entry !== undefined && isUnchanged(entry, job)) return;
    this.remove(job.id);
    this.#lastSequence += 1;
    // Priorities are whole numbers.
    const place = { rank: job.priority + (hasBegun ? 0.5 : 0), sequence: this.#lastSequence };
    this.#entries.set(job.id, this.#queued.add(job, place));
  }

  /** Puts a job before all others, also if it waits already. */
  unshift(job: WaitingJob): void {
    this.remove(job.id);
    this.#firstSequence -= 1;
    this.#entries.set(job.id, this.#putBack.add(job, { rank: 0, sequence: this.#firstSequence }));
  }

  /** Removes a job; no-op if absent. */
  remove(id: number): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    entry.queue.jobClass.table.remove(entry);
  }

  /** Removes all jobs. */
  clear(): void {
    this.#entries.clear();
    this.#putBack = new JobClassTable();
    this.#queued = new JobClassTable();
  }

  /**
   * The job to run next, which goes on waiting; null if none is accepted. `accepts` is asked at most once for each class, with its first job.
   * `activeByAccount` has the number of running jobs of each account that has any.
   */
  next(
    accepts: (job: WaitingJob) => boolean,
    activeByAccount: ReadonlyMap<string, number>,
  ): WaitingJob | null {
    const rejected = new Set<string>();
    const returned = firstAccepted(this.#putBack, {
      accepts: (job) => accepts(job) || !rejected.add(keyOf(job)),
      activeOf: () => 0,
      fewest: 0,
    });
    if (returned !== null) return returned;
    return firstAccepted(this.#queued, {
      accepts: (job) => (rejected.size === 0 || !rejected.has(keyOf(job))) && accepts(job),
      activeOf: (accountId) => activeByAccount.get(accountId) ?? 0,
      fewest: this.#fewestActive(activeByAccount),
    });
  }

  /** The fewest running jobs of an account with queued jobs. */
  #fewestActive(activeByAccount: ReadonlyMap<string, number>): number {
    const actives = [...activeByAccount].filter(([accountId]) => this.#queued.hasAccount(accountId));
    if (actives.length < this.#queued.accountCount) return 0;
    return actives.reduce((fewest, [, active]) => Math.min(fewest, active), Number.POSITIVE_INFINITY);
  }
}

interface Search {
  readonly accepts: (job: WaitingJob) => boolean;
  readonly activeOf: (accountId: string) => number;
  /** The fewest running jobs of an account in the table. */
  readonly fewest: number;
}

/** The first accepted job of the account with the fewest running jobs; null if none is accepted. */
function firstAccepted(table: JobClassTable, { accepts, activeOf, fewest }: Search): WaitingJob | null {
  const best: { job: WaitingJob | null; jobClass: JobClass | null; active: number } = {
    job: null,
    jobClass: null,
    active: Number.POSITIVE_INFINITY,
  };
  table.visit((jobClass) => {
    const isLater = best.jobClass !== null && !isBefore(jobClass, best.jobClass);
    // Whatever is behind it is later as well, and no account has fewer running jobs.
    if (isLater && best.active <= fewest) return false;
    const active = activeOf(jobClass.accountId);
    if (active > best.active || (active === best.active && isLater)) return true;
    const job = firstJob(jobClass);
    if (!accepts(job)) return true;
    Object.assign(best, { job, jobClass, active });
    return active > fewest;
  });
  return best.job;
}

function isUnchanged({ priority, queue }: WaitingEntry, job: WaitingJob): boolean {
  const { accountId, key } = queue.jobClass;
  return priority === job.priority && accountId === job.accountId && key === classKey(job);
}

function firstJob(jobClass: JobClass): WaitingJob {
  const { id, priority } = firstEntry(jobClass);
  const { accountId, requires, needsKey } = jobClass;
  return { id, accountId, priority, requires, needsKey };
}

function keyOf(job: WaitingJob): string {
  return `${job.accountId}\n${classKey(job)}`;
}
