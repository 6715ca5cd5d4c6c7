import { join } from 'node:path';
import { isFinal } from '../../../../src/shared/states.js';
import { mapWithConcurrency } from '../../../../src/shared/util/semaphore.js';
import type { JobDailyUsage } from '../../../jobs/usage.js';
import type { DataLayout } from '../../data-folder/layout.js';
import type { AccountDailyUsage, JobFilter, RemovableFilter, UsageFilter } from '../../job-store.js';
import type { IndexEntry, RemovedJob } from '../index-entry.js';
import { maxConcurrentReads } from '../job-document.js';
import { IdempotencyIndex } from './idempotency-index.js';
import {
  type CachedFolder,
  type FolderToCache,
  folderChangedAtNs,
  type IndexContent,
  type IndexFile,
  readIndexFile,
} from './index-file.js';
import { IndexWriter, type IndexWriterParts, indexWriteThreshold } from './index-writer.js';
import { type IdPage, JobLists, SortedIdList } from './job-lists.js';
import { JobTable, type TableEntry, wordsPerJob } from './job-table.js';

/**
 * The index of all jobs in memory, ordered by id, for every query across jobs: about 80 bytes per job. The cost of
 * adding the newest job and of replacing any job does not depend on their number. Changes of jobs write nothing of it
 * to disk.
 */
export class JobIndex {
  /** The index is written at a start that has read so many jobs that its file did not have. */
  static readonly writeThreshold = indexWriteThreshold;
  readonly #table: JobTable;
  readonly #lists = new JobLists();
  readonly #ledger = new UsageLedger();
  readonly #idsWithNotifications = new SortedIdList();
  readonly #keys = new IdempotencyIndex();

  /** The rows of folders that the index file had and that were not loaded. */
  readonly #cached: Map<string, CachedFolder>;

  /** An index without jobs. `file` has the rows of folders, which `loadFolder` adds. */
  constructor(file?: IndexFile) {
    this.#table = new JobTable(file?.texts);
    this.#cached = new Map(file?.folders);
  }

  /** Opens the index of a data folder, without jobs. Without the rows in its file if that is ignored. */
  static async open(layout: DataLayout, { isIgnored }: { readonly isIgnored: boolean }): Promise<JobIndex> {
    return new JobIndex(isIgnored ? undefined : await readIndexFile(layout));
  }

  /** Of these folders, forgets the rows of the changed ones. Few of them are read at the same time. */
  async dropChanged(layout: DataLayout, names: readonly string[]): Promise<void> {
    await mapWithConcurrency(names, maxConcurrentReads, async (name) => {
      const cached = this.#cached.get(name);
      if (cached === undefined) return;
      const changedAtNs = await folderChangedAtNs(join(layout.done, name));
      if (cached.changedAtNs !== String(changedAtNs)) this.#cached.delete(name);
    });
  }

  /** Whether the rows of a folder show that none of its jobs was removed. */
  hasNoneRemoved(name: string): boolean {
    return this.#cached.get(name)?.hasRemoved === false;
  }

  /** The number of jobs. */
  get size(): number {
    return this.#lists.size;
  }

  get(id: number): TableEntry | undefined {
    return this.#table.get(id);
  }

  /** The entry with the greatest id not above this one: the job that an input or output id may belong to. */
  floor(id: number): TableEntry | undefined {
    const floor = this.#lists.floor(id);
    return floor === undefined ? undefined : this.#table.get(floor);
  }

  /** Adds an entry, or replaces the one with its id. */
  put(entry: IndexEntry): void {
    const { id, accountId, state, usage, hasNotifications, idempotencyKey } = entry;
    const before = this.#table.get(id);
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
    this.#table.put(entry);
  }

  /** Like {@link put} at a start, in the order of ids: of the idempotency keys only the latest are kept. */
  load(entry: IndexEntry): void {
    if (entry.idempotencyKey !== null) this.rotate(entry.idempotencyKey.createdAtMs);
    this.put(entry);
  }

  /** Loads the rows of a folder that has no jobs yet. Returns the greatest id; null if there are no valid rows. */
  loadFolder(name: string): number | null {
    const folder = this.#cached.get(name);
    this.#cached.delete(name);
    const entries = folder === undefined ? null : this.#table.addFolder(name, folder);
    if (folder === undefined || entries === null) return null;
    for (const entry of entries) {
      this.#lists.add(entry);
      this.#ledger.add(entry.accountId, entry.usage);
      if (entry.hasNotifications) this.#idsWithNotifications.add(entry.id);
    }
    for (const { id, accountId, key, createdAtMs } of folder.keys) {
      this.rotate(createdAtMs);
      this.#keys.add(accountId, id, { key, createdAtMs });
    }
    return folder.words.at(-wordsPerJob) ?? 0;
  }

  delete(id: number): void {
    const entry = this.#table.get(id);
    if (entry === undefined) return;
    this.#table.delete(id);
    this.#lists.delete(entry);
    this.#ledger.subtract(entry.accountId, entry.usage);
    this.#idsWithNotifications.delete(id);
  }

  /** Removes a permanently removed job; its usage is kept. */
  forget(id: number): void {
    const entry = this.#table.get(id);
    if (entry === undefined) return;
    this.delete(id);
    this.addRemoved(entry);
  }

  /** Adds the usage of a removed job. */
  addRemoved({ accountId, usage }: Pick<RemovedJob, 'accountId' | 'usage'>): void {
    this.#ledger.add(accountId, usage);
  }

  /** The ids of one page, newest first, and the number of all matching jobs. */
  page(filter: JobFilter): IdPage {
    return this.#lists.page(filter);
  }

  /** See `JobStore.listRemovable`. */
  listRemovable(filter: RemovableFilter): readonly number[] {
    return this.#table.listRemovable(filter);
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

  /** Makes the writer of the index file. */
  createWriter(parts: IndexWriterParts): IndexWriter {
    const content = () => this.content((name) => parts.busyFolders().has(name), parts.foldersWithRemoved);
    return new IndexWriter(parts, { content, size: () => this.size });
  }

  /**
   * What the index file has: the final jobs of each folder, one folder at a time. `isBusy` returns whether a file of a
   * folder is being written. `withRemoved` are the folders of which jobs were removed; they may have no other jobs.
   */
  content(isBusy: (name: string) => boolean, withRemoved: ReadonlySet<string>): IndexContent {
    return { texts: this.#table.texts, folders: this.#folders(isBusy, withRemoved) };
  }

  *#folders(isBusy: (name: string) => boolean, withRemoved: ReadonlySet<string>): Generator<FolderToCache> {
    const keys = this.#keys.byFolder();
    for (const name of new Set([...this.#table.folderNames(), ...withRemoved])) {
      if (isBusy(name)) continue;
      const changeCount = this.#table.changeCountOf(name);
      const rows = this.#table.finalRowsOf(name);
      const isCurrent = () => !isBusy(name) && this.#table.changeCountOf(name) === changeCount;
      const keysOfFinal = (keys.get(name) ?? []).filter(({ id }) => isFinal(this.get(id)?.state ?? ''));
      yield { name, hasRemoved: withRemoved.has(name), ...rows, keys: keysOfFinal, isCurrent };
    }
  }
}

/** Whole milliseconds. */
interface Sums {
  encodedMs: number;
  billableMs: number;
}

type Day = Map<string | null, Sums>;

/**
 * The usage of each account by UTC day and grouping, in memory. The usage of a job is subtracted before its
 * new usage is added. All numbers are whole, so no remainder accumulates: the sums are always those of the
 * existing jobs.
 */
class UsageLedger {
  readonly #accounts = new Map<string, Map<string, Day>>();

  /** Adds the usage of a job. */
  add(accountId: string, entries: readonly JobDailyUsage[]): void {
    for (const { day, grouping, encodedMs, billableMs } of entries) {
      const sums = this.#sums(accountId, day, grouping);
      sums.encodedMs += encodedMs;
      sums.billableMs += billableMs;
    }
  }

  /** Subtracts the usage of a job. */
  subtract(accountId: string, entries: readonly JobDailyUsage[]): void {
    const days = this.#accounts.get(accountId);
    for (const { day, grouping, encodedMs, billableMs } of entries) {
      const groupings = days?.get(day);
      const sums = groupings?.get(grouping);
      if (groupings === undefined || sums === undefined) continue;
      sums.encodedMs -= encodedMs;
      sums.billableMs -= billableMs;
      // Every entry is greater than zero.
      if (sums.encodedMs === 0) groupings.delete(grouping);
      if (groupings.size === 0) days?.delete(day);
    }
  }

  /** The sums of an account's days in a range, in the order of `JobStore.usage`. */
  of({ accountId, from, to }: UsageFilter): readonly AccountDailyUsage[] {
    const days = [...(this.#accounts.get(accountId) ?? [])].filter(([day]) => from <= day && day <= to);
    return days
      .sort(byFirst)
      .flatMap(([day, groupings]) =>
        [...groupings]
          .sort(byFirst)
          .map(([grouping, { encodedMs, billableMs }]) => ({ day, grouping, encodedMs, billableMs })),
      );
  }

  #sums(accountId: string, day: string, grouping: string | null): Sums {
    const known = this.#accounts.get(accountId)?.get(day)?.get(grouping);
    if (known !== undefined) return known;
    const sums = { encodedMs: 0, billableMs: 0 };
    const days = this.#accounts.get(accountId) ?? new Map<string, Day>();
    const groupings: Day = days.get(day) ?? new Map();
    this.#accounts.set(accountId, days.set(day, groupings.set(grouping, sums)));
    return sums;
  }
}

/** null first, then by UTF-16 code units: the same order on every machine. */
function byFirst([a]: readonly [string | null, unknown], [b]: readonly [string | null, unknown]): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
}
