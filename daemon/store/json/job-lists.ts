import type { JobState } from '../../../src/api/states.js';
import type { JobFilter } from '../job-store.js';
import { IdList } from './id-list.js';

/** What decides in which lists a job stands. */
export interface Listed {
  readonly id: number;
  readonly accountId: string;
  readonly state: JobState;
}

/** The ids of one page, newest first, and how many jobs match in all. */
export interface IdPage {
  readonly ids: readonly number[];
  readonly total: number;
}

const nobody = new IdList();

/**
 * The ids that each filter asks for, kept ready: those of all jobs, of each account, of each state, and of both. A page costs what is on
 * it, however many jobs there are and however few of them match.
 */
export class JobLists {
  /** By account, then by state; `undefined` stands for any. */
  readonly #lists = new Map<string | undefined, Map<JobState | undefined, IdList>>();

  add({ id, accountId, state }: Listed): void {
    for (const account of [undefined, accountId]) {
      for (const kind of [undefined, state]) this.#listOf(account, kind).add(id);
    }
  }

  delete({ id, accountId, state }: Listed): void {
    for (const account of [undefined, accountId]) {
      for (const kind of [undefined, state]) this.#listOf(account, kind).delete(id);
    }
  }

  /** Takes a job from the lists of one state to those of another. */
  move({ id, accountId, state }: Listed, to: JobState): void {
    for (const account of [undefined, accountId]) {
      this.#listOf(account, state).delete(id);
      this.#listOf(account, to).add(id);
    }
  }

  page({ accountId, state, offset, limit }: JobFilter): IdPage {
    const list = this.#lists.get(accountId)?.get(state) ?? nobody;
    return { ids: list.newest(offset, limit), total: list.size };
  }

  /** The greatest id of a job that is not above this one. */
  floor(id: number): number | undefined {
    return this.#listOf(undefined, undefined).floor(id);
  }

  #listOf(accountId: string | undefined, state: JobState | undefined): IdList {
    let lists = this.#lists.get(accountId);
    if (lists === undefined) {
      lists = new Map();
      this.#lists.set(accountId, lists);
    }
    let list = lists.get(state);
    if (list === undefined) {
      list = new IdList();
      lists.set(state, list);
    }
    return list;
  }
}
