import { type HeapItem, IndexedHeap } from './indexed-heap.js';

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
export interface WaitingEntry {
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
export interface JobClass extends HeapItem {
  readonly table: JobClassTable;
  readonly accountId: string;
  readonly requires: readonly string[];
  readonly needsKey: string;
  readonly key: string;
  /** Its queues, the greatest rank first. */
  readonly queues: EntryQueue[];
}

/** Identifies the class of a job within its account. */
export function classKey({ requires, needsKey }: Pick<WaitingJob, 'requires' | 'needsKey'>): string {
  // Labels have no spaces.
  return `${requires.join(' ')}\n${needsKey}`;
}

/** The first job of a class. */
export function firstEntry({ queues }: JobClass): WaitingEntry {
  const entry = queues[0]?.first ?? null;
  if (entry === null) throw new TypeError('A class has no jobs.');
  return entry;
}

/**
 * Waiting jobs by account and class. The classes are ordered by their first jobs: the greatest rank first, then the smallest sequence number.
 */
export class JobClassTable {
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
export function isBefore(a: JobClass, b: JobClass): boolean {
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
