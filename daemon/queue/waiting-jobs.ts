import { type HeapItem, IndexedHeap } from './indexed-heap.js';

/**
 * Decides which of the waiting jobs is run next. Uses neither the clock nor the store.
 *
 * - Jobs that were put back (`unshift`) come before all others, the last one first.
 * - The account with the fewest running jobs is next, so that an account with many jobs does not delay an account with
 *   few. Of several such accounts, it is the one whose next job has the greatest priority, then the one whose next job
 *   waits longest.
 * - Within an account, the greatest priority is first, then the job that waits longest.
 * - Jobs that are not accepted are passed over. The jobs of an account with equal labels and needs are a class: all or
 *   none are accepted.
 *
 * A heap orders the classes by their first jobs, so `push`, `unshift` and `remove` take logarithmic time in the number
 * of classes, whatever the number of jobs. `next` takes time in proportion to the classes that it passes over.
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
   * Adds a job at the end. A job that waits already keeps its position, unless its account, priority, labels or needs
   * have changed: then it is removed and added. A job that has begun comes before the others of its account and
   * priority.
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
   * The job to run next, which goes on waiting; null if none is accepted. `accepts` is asked at most once for each
   * class, with its first job. `activeByAccount` has the number of running jobs of each account that has any.
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

/** A job that waits for a run. */
export interface WaitingJob {
  readonly id: number;
  readonly accountId: string;
  /** The greatest is run first. */
  readonly priority: number;
  /** Labels that a machine must have, sorted. */
  readonly requires: readonly string[];
  /** Names a class of technical needs. Only compared. */
  readonly needsKey: string;
}

/** A waiting job in the queue of its class and priority. The class has everything else. */
interface WaitingEntry {
  readonly id: number;
  readonly priority: number;
  /** Jobs with smaller numbers come first. */
  readonly sequence: number;
  readonly queue: EntryQueue;
  previous: WaitingEntry | null;
  next: WaitingEntry | null;
}

/** The jobs of a class with one rank, as a linked list. Never empty, except while it is made or removed. */
interface EntryQueue {
  readonly jobClass: JobClass;
  readonly rank: number;
  first: WaitingEntry | null;
  last: WaitingEntry | null;
}

/** The waiting jobs of one account with equal labels and needs. */
interface JobClass extends HeapItem {
  readonly table: JobClassTable;
  readonly accountId: string;
  readonly requires: readonly string[];
  readonly needsKey: string;
  readonly key: string;
  /** Its queues, the greatest rank first. */
  readonly queues: EntryQueue[];
}

/** Identifies the class of a job within its account. */
function classKey({ requires, needsKey }: Pick<WaitingJob, 'requires' | 'needsKey'>): string {
  // Labels have no spaces.
  return `${requires.join(' ')}\n${needsKey}`;
}

/** The first job of a class. */
function firstEntry({ queues }: JobClass): WaitingEntry {
  const entry = queues[0]?.first ?? null;
  if (entry === null) throw new TypeError('A class has no jobs.');
  return entry;
}

/**
 * Waiting jobs by account and class. The classes are ordered by their first jobs: the greatest rank first, then the
 * smallest sequence number.
 */
class JobClassTable {
  readonly #accounts = new Map<string, Map<string, JobClass>>();
  readonly #order = new IndexedHeap<JobClass>(isBefore);

  /** The number of accounts with jobs. */
  get accountCount(): number {
    return this.#accounts.size;
  }

  /** Whether an account has jobs. */
  hasAccount(accountId: string): boolean {
    return this.#accounts.has(accountId);
  }

  /** Visits classes as {@link IndexedHeap.visit} does. */
  visit(visit: (jobClass: JobClass) => boolean): void {
    this.#order.visit(visit);
  }

  /** Adds a job. Its sequence number must be the greatest or the smallest of its class and rank. */
  add(
    job: WaitingJob,
    { rank, sequence }: { readonly rank: number; readonly sequence: number },
  ): WaitingEntry {
    const jobClass = this.#classOf(job);
    const queue = queueOf(jobClass, rank);
    const entry: WaitingEntry = {
      id: job.id,
      priority: job.priority,
      sequence,
      queue,
      previous: null,
      next: null,
    };
    link(entry);
    this.#order.update(jobClass);
    return entry;
  }

  /** Removes a job of this table. */
  remove(entry: WaitingEntry): void {
    const { queue } = entry;
    const { jobClass } = queue;
    unlink(entry);
    if (queue.first === null) jobClass.queues.splice(jobClass.queues.indexOf(queue), 1);
    if (jobClass.queues.length > 0) {
      this.#order.update(jobClass);
      return;
    }
    this.#order.remove(jobClass);
    const classes = this.#accounts.get(jobClass.accountId);
    classes?.delete(jobClass.key);
    if (classes?.size === 0) this.#accounts.delete(jobClass.accountId);
  }

  #classOf(job: WaitingJob): JobClass {
    const { accountId, requires, needsKey } = job;
    let classes = this.#accounts.get(accountId);
    if (classes === undefined) {
      classes = new Map();
      this.#accounts.set(accountId, classes);
    }
    const key = classKey(job);
    let jobClass = classes.get(key);
    if (jobClass === undefined) {
      jobClass = { table: this, accountId, requires, needsKey, key, queues: [], heapIndex: -1 };
      classes.set(key, jobClass);
    }
    return jobClass;
  }
}

/** Whether the first job of a class comes before that of another one: greater rank, then smaller sequence number. */
function isBefore(a: JobClass, b: JobClass): boolean {
  const rankA = a.queues[0]?.rank ?? 0;
  const rankB = b.queues[0]?.rank ?? 0;
  return rankA === rankB ? firstEntry(a).sequence < firstEntry(b).sequence : rankA > rankB;
}

function queueOf(jobClass: JobClass, rank: number): EntryQueue {
  const { queues } = jobClass;
  const position = queues.findIndex((queue) => queue.rank <= rank);
  const found = queues[position];
  if (found?.rank === rank) return found;
  const queue: EntryQueue = { jobClass, rank, first: null, last: null };
  queues.splice(position === -1 ? queues.length : position, 0, queue);
  return queue;
}

function link(entry: WaitingEntry): void {
  const { queue, sequence } = entry;
  const { first, last } = queue;
  if (first === null || last === null) {
    queue.first = entry;
    queue.last = entry;
  } else if (sequence < first.sequence) {
    entry.next = first;
    first.previous = entry;
    queue.first = entry;
  } else {
    entry.previous = last;
    last.next = entry;
    queue.last = entry;
  }
}

function unlink({ queue, previous, next }: WaitingEntry): void {
  if (previous === null) queue.first = next;
  else previous.next = next;
  if (next === null) queue.last = previous;
  else next.previous = previous;
}
