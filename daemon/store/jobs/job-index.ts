import { isFinal, type JobState } from '../../../src/shared/states.js';
import { doneFolderName } from '../data-folder/layout.js';
import type { AccountDailyUsage, JobFilter, RemovableFilter, UsageFilter } from '../job-store.js';
import { IdempotencyIndex } from './idempotency-index.js';
import type { IndexEntry } from './index-entry.js';
import type { CachedFolder, FolderToCache, RemovedJob } from './index-file.js';
import { JobTable, type TableEntry, type TableTexts } from './job-table.js';
import { UsageLedger } from './usage-ledger.js';

/**
 * The index of all jobs in memory, ordered by id, for every query across jobs: about 80 bytes per job. The cost of
 * adding the newest job and of replacing any job does not depend on their number. Changes of jobs write nothing of it
 * to disk.
 */
export class JobIndex {
  readonly #table: JobTable;
  readonly #lists = new JobListIndex();
  readonly #ledger = new UsageLedger();
  readonly #idsWithNotifications = new SortedIdList();
  readonly #keys = new IdempotencyIndex();
  /** Folders whose files may differ from the entries. */
  readonly #distrusted = new Set<string>();

  /** An empty index, for rows of folders that refer to given texts. */
  constructor(texts?: TableTexts) {
    this.#table = new JobTable(texts);
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

  /** Loads the rows of a folder that has no jobs yet. Returns whether they are valid; if not, none is added. */
  loadFolder(name: string, folder: CachedFolder): boolean {
    const entries = this.#table.addFolder(name, folder);
    if (entries === null) return false;
    for (const entry of entries) {
      this.#lists.add(entry);
      this.#ledger.add(entry.accountId, entry.usage);
      if (entry.hasNotifications) this.#idsWithNotifications.add(entry.id);
    }
    for (const { id, accountId, key, createdAtMs } of folder.keys) {
      this.rotate(createdAtMs);
      this.#keys.add(accountId, id, { key, createdAtMs });
    }
    return true;
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

  /** Keeps the folder of a job out of {@link folders}, after a failed write: the next start reads its files. */
  distrustFolderOf(id: number): void {
    this.#distrusted.add(doneFolderName(id));
  }

  /** The texts that the rows of {@link folders} refer to. */
  get texts(): TableTexts {
    return this.#table.texts;
  }

  /**
   * The final jobs of each folder, for the index file, one folder at a time. `isBusy` returns whether a file of a
   * folder is being written. `withRemoved` are the folders of which jobs were removed; they may have no other jobs.
   */
  *folders(isBusy: (name: string) => boolean, withRemoved: ReadonlySet<string>): Generator<FolderToCache> {
    const keys = this.#keys.byFolder();
    for (const name of new Set([...this.#table.folderNames(), ...withRemoved])) {
      const isUnknown = () => isBusy(name) || this.#distrusted.has(name);
      if (isUnknown()) continue;
      const changeCount = this.#table.changeCountOf(name);
      const rows = this.#table.finalRowsOf(name);
      const isCurrent = () => !isUnknown() && this.#table.changeCountOf(name) === changeCount;
      const keysOfFinal = (keys.get(name) ?? []).filter(({ id }) => isFinal(this.get(id)?.state ?? ''));
      yield { name, hasRemoved: withRemoved.has(name), ...rows, keys: keysOfFinal, isCurrent };
    }
  }
}

/** Maximum length of a run. Moving half of that is cheaper than a map look-up. */
const maxRunLength = 512;

/**
 * Ids in ascending order, in runs of some hundred. Adding and removing costs about the same at every position
 * and length, and a page deep in the list skips whole runs. One long array was rejected: with a million ids,
 * it moves eight megabytes for each removal of an old one.
 */
export class SortedIdList {
  /** None is empty. */
  readonly #runs: number[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds an id; no-op if present. */
  add(id: number): void {
    const newest = this.#runs[this.#runs.length - 1];
    // Nearly all ids are added at the end, at a start all of them.
    if (newest !== undefined && newest.length < maxRunLength && (newest[newest.length - 1] ?? 0) < id) {
      newest.push(id);
      this.#size += 1;
      return;
    }
    const runIndex = this.#runFor(id);
    const run = this.#runs[runIndex];
    if (run === undefined) {
      this.#runs.push([id]);
    } else {
      const position = positionIn(run, id);
      if (run[position] === id) return;
      // An id at the end begins a new run, so that runs which only grow are left full and not half full.
      if (run.length >= maxRunLength && position === run.length) this.#runs.splice(runIndex + 1, 0, [id]);
      else {
        run.splice(position, 0, id);
        if (run.length > maxRunLength) this.#runs.splice(runIndex + 1, 0, run.splice(maxRunLength >>> 1));
      }
    }
    this.#size += 1;
  }

  /** Removes an id; no-op if absent. */
  delete(id: number): void {
    const runIndex = this.#runFor(id);
    const run = this.#runs[runIndex];
    if (run === undefined) return;
    const position = positionIn(run, id);
    if (run[position] !== id) return;
    if (run.length === 1) this.#runs.splice(runIndex, 1);
    else run.splice(position, 1);
    this.#size -= 1;
  }

  /** The greatest id that is not above this one. */
  floor(id: number): number | undefined {
    const run = this.#runs[this.#runFor(id)];
    if (run === undefined) return undefined;
    const position = positionIn(run, id);
    return run[position] === id ? id : run[position - 1];
  }

  /** Up to `limit` ids, greatest first, after skipping `offset`. */
  newest(offset: number, limit: number): readonly number[] {
    const ids: number[] = [];
    let toSkip = offset;
    for (let runIndex = this.#runs.length - 1; runIndex >= 0 && ids.length < limit; runIndex -= 1) {
      const run = this.#runs[runIndex] ?? [];
      const end = run.length - toSkip;
      toSkip = Math.max(0, -end);
      if (end <= 0) continue;
      const start = Math.max(0, end - (limit - ids.length));
      ids.push(...run.slice(start, end).reverse());
    }
    return ids;
  }

  /** All ids, smallest first. */
  all(): readonly number[] {
    return this.#runs.flat();
  }

  /**
   * The index of the run that contains this id or would: the last one that begins at or below it, otherwise
   * the first.
   */
  #runFor(id: number): number {
    let low = 0;
    let high = this.#runs.length - 1;
    // New ids, and most that are looked up, are in the last run.
    if ((this.#runs[high]?.[0] ?? 0) <= id) return Math.max(0, high);
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#runs[middle]?.[0] ?? 0) <= id) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** The position of an id in a run, or where it would be inserted. */
function positionIn(run: readonly number[], id: number): number {
  if ((run[run.length - 1] ?? 0) < id) return run.length;
  let low = 0;
  let high = run.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((run[middle] ?? 0) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What determines which lists contain a job. */
interface ListedJob {
  readonly id: number;
  readonly accountId: string;
  readonly state: JobState;
}

/** The ids of one page, newest first, and the number of all matching jobs. */
interface IdPage {
  readonly ids: readonly number[];
  readonly total: number;
}

/** The lists of one account, or of all accounts: one for all states, and one per state. */
class StateLists {
  readonly any = new SortedIdList();
  readonly #byState = new Map<JobState, SortedIdList>();

  of(state: JobState): SortedIdList {
    let list = this.#byState.get(state);
    if (list === undefined) {
      list = new SortedIdList();
      this.#byState.set(state, list);
    }
    return list;
  }
}

/**
 * Ready lists of ids for each filter: all jobs, by account, by state, and by both. The cost of a page depends
 * only on its length, not on the number of jobs or of matches.
 */
class JobListIndex {
  readonly #ofAll = new StateLists();
  readonly #byAccount = new Map<string, StateLists>();

  /** The number of all jobs. */
  get size(): number {
    return this.#ofAll.any.size;
  }

  add({ id, accountId, state }: ListedJob): void {
    const own = this.#of(accountId);
    own.any.add(id);
    own.of(state).add(id);
    this.#ofAll.any.add(id);
    this.#ofAll.of(state).add(id);
  }

  delete({ id, accountId, state }: ListedJob): void {
    const own = this.#of(accountId);
    own.any.delete(id);
    own.of(state).delete(id);
    this.#ofAll.any.delete(id);
    this.#ofAll.of(state).delete(id);
  }

  /** Moves a job from the lists of its state to those of another. */
  move({ id, accountId, state }: ListedJob, to: JobState): void {
    for (const lists of [this.#of(accountId), this.#ofAll]) {
      lists.of(state).delete(id);
      lists.of(to).add(id);
    }
  }

  page({ accountId, state, offset, limit }: JobFilter): IdPage {
    const lists = accountId === undefined ? this.#ofAll : this.#byAccount.get(accountId);
    // A query creates no lists for an account without jobs: there may be many such accounts.
    if (lists === undefined) return { ids: [], total: 0 };
    const list = state === undefined ? lists.any : lists.of(state);
    return { ids: list.newest(offset, limit), total: list.size };
  }

  /** The greatest job id that is not above this one. */
  floor(id: number): number | undefined {
    return this.#ofAll.any.floor(id);
  }

  #of(accountId: string): StateLists {
    let lists = this.#byAccount.get(accountId);
    if (lists === undefined) {
      lists = new StateLists();
      this.#byAccount.set(accountId, lists);
    }
    return lists;
  }
}
