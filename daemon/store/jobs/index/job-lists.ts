import type { JobState } from '../../../../src/shared/states.js';
import type { JobFilter } from '../../job-store.js';

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
export interface IdPage {
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
export class JobLists {
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
