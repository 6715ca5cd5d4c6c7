import type { JobState } from '../../../src/shared/states.js';
import type { JobFilter } from '../job-store.js';
import { SortedIdList } from './sorted-id-list.js';

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
export class JobListIndex {
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
