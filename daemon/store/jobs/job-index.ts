import type { JobState } from '../../../src/shared/states.js';
import type { Job } from '../../jobs/job.js';
import { type JobDailyUsage, usageOf } from '../../jobs/usage.js';
import type { AccountDailyUsage, JobFilter, UsageFilter } from '../job-store.js';
import { IdempotencyIndex, type IdempotencyKeyUse } from './idempotency-index.js';
import { type IdPage, JobListIndex } from './job-list-index.js';
import { SortedIdList } from './sorted-id-list.js';
import { UsageLedger } from './usage-ledger.js';

/** What lists, look-ups and reports need to know of every job without opening its file. */
export interface IndexEntry {
  readonly id: number;
  readonly accountId: string;
  readonly state: JobState;
  readonly usage: readonly JobDailyUsage[];
  readonly hasNotifications: boolean;
  /** null also if the key has expired. */
  readonly idempotencyKey: IdempotencyKeyUse | null;
}

/** Makes the entry of a job. Times are omitted: no list needs them. */
export function indexEntry(job: Job): IndexEntry {
  const { id, accountId, state, idempotency: idempotencyKey } = job;
  const createdAtMs = idempotencyKey === null ? Number.NaN : Date.parse(job.createdAt);
  return {
    id,
    accountId,
    state,
    usage: usageOf(job),
    hasNotifications: job.pendingNotifications.length > 0,
    idempotencyKey:
      idempotencyKey === null || Number.isNaN(createdAtMs) ? null : { key: idempotencyKey.key, createdAtMs },
  };
}

/**
 * The index of all jobs in memory, ordered by id, for every query across jobs. The cost of adding the newest
 * job and of replacing any job does not depend on their number. Changes of jobs write nothing of it to disk.
 */
export class JobIndex {
  /** Without their idempotency keys, which expire earlier. */
  readonly #entries = new Map<number, IndexEntry>();
  readonly #lists = new JobListIndex();
  readonly #ledger = new UsageLedger();
  readonly #idsWithNotifications = new SortedIdList();
  readonly #keys = new IdempotencyIndex();

  /** Only the usage of removed jobs counts. */
  constructor(entries: readonly IndexEntry[] = [], removed: readonly IndexEntry[] = []) {
    for (const entry of [...entries].sort((a, b) => a.id - b.id)) {
      if (entry.idempotencyKey !== null) this.rotate(entry.idempotencyKey.createdAtMs);
      this.put(entry);
    }
    for (const { accountId, usage } of removed) this.#ledger.add(accountId, usage);
  }

  get(id: number): IndexEntry | undefined {
    return this.#entries.get(id);
  }

  /** The entry with the greatest id not above this one: the job that an input or output id may belong to. */
  floor(id: number): IndexEntry | undefined {
    const floor = this.#lists.floor(id);
    return floor === undefined ? undefined : this.#entries.get(floor);
  }

  /** Adds an entry, or replaces the one with its id. */
  put(entry: IndexEntry): void {
    const { id, accountId, state, usage, hasNotifications, idempotencyKey } = entry;
    const before = this.#entries.get(id);
    if (before !== undefined && before.accountId === accountId) {
      if (before.state !== state) this.#lists.move(before, state);
      this.#ledger.subtract(accountId, before.usage);
    } else {
      // A job changes its account only if somebody edits its file.
      if (before !== undefined) this.delete(id);
      this.#lists.add(entry);
    }
    this.#ledger.add(accountId, usage);
    if (hasNotifications) this.#idsWithNotifications.add(id);
    else if (before !== undefined) this.#idsWithNotifications.delete(id);
    if (idempotencyKey !== null) this.#keys.add(accountId, id, idempotencyKey);
    this.#entries.set(id, idempotencyKey === null ? entry : { ...entry, idempotencyKey: null });
  }

  delete(id: number): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#lists.delete(entry);
    this.#ledger.subtract(entry.accountId, entry.usage);
    this.#idsWithNotifications.delete(id);
  }

  /** Removes a permanently removed job; its usage is kept. */
  forget(id: number): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.delete(id);
    this.#ledger.add(entry.accountId, entry.usage);
  }

  /** The ids of one page, newest first, and the number of all matching jobs. */
  page(filter: JobFilter): IdPage {
    return this.#lists.page(filter);
  }

  /** The ids of the jobs with pending notifications, oldest first. */
  listWithNotifications(): readonly number[] {
    return this.#idsWithNotifications.all();
  }

  usage(filter: UsageFilter): readonly AccountDailyUsage[] {
    return this.#ledger.of(filter);
  }

  /**
   * The id of the account's job that was created under a key after `sinceMs`. The job may have turned out
   * damaged since.
   */
  findByIdempotencyKey(accountId: string, key: string, sinceMs: number): number | null {
    return this.#keys.find(accountId, key, sinceMs);
  }

  /** Drops expired idempotency keys. `nowMs` is in milliseconds since 1970. */
  rotate(nowMs: number): void {
    this.#keys.rotate(nowMs);
  }

  /** Every entry, in no particular order, with its key if that is still known. */
  all(): readonly IndexEntry[] {
    const uses = this.#keys.byId();
    return Array.from(this.#entries.values(), (entry) => {
      const idempotencyKey = uses.get(entry.id);
      return idempotencyKey === undefined ? entry : { ...entry, idempotencyKey };
    });
  }
}
