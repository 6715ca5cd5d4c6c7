import type { JobState } from '../../../src/api/states.js';
import type { Job } from '../../jobs/job.js';
import type { JobFilter } from '../job-store.js';

/** What lists and look-ups need of every job without opening its file. */
export interface IndexEntry {
  readonly id: number;
  readonly accountId: string;
  readonly state: JobState;
}

/** The entry of a job. Times are not kept: no list asks for them. */
export function indexEntry(job: Job): IndexEntry {
  return { id: job.id, accountId: job.accountId, state: job.state };
}

/**
 * All jobs in the order of their ids, in memory. Adding the newest and replacing any costs the same however many
 * there are; nothing of it is written while jobs come and go.
 */
export class JobIndex {
  readonly #entries: IndexEntry[];

  constructor(entries: readonly IndexEntry[] = []) {
    this.#entries = [...entries].sort((a, b) => a.id - b.id);
  }

  get(id: number): IndexEntry | undefined {
    const entry = this.#entries[this.#positionOf(id)];
    return entry?.id === id ? entry : undefined;
  }

  /** The entry with the greatest id not above this one: the job that an input or output id can belong to. */
  floor(id: number): IndexEntry | undefined {
    return this.get(id) ?? this.#entries[this.#positionOf(id) - 1];
  }

  /** Adds an entry, or replaces the one with its id. */
  put(entry: IndexEntry): void {
    const position = this.#positionOf(entry.id);
    const isThere = this.#entries[position]?.id === entry.id;
    this.#entries.splice(position, isThere ? 1 : 0, entry);
  }

  delete(id: number): void {
    if (this.get(id) !== undefined) this.#entries.splice(this.#positionOf(id), 1);
  }

  /** The ids of one page, newest first, and how many jobs match in all. */
  page(filter: JobFilter): { readonly ids: readonly number[]; readonly total: number } {
    const ids: number[] = [];
    let total = 0;
    for (let position = this.#entries.length - 1; position >= 0; position -= 1) {
      const entry = this.#entries[position];
      if (entry === undefined || !matches(entry, filter)) continue;
      if (total >= filter.offset && ids.length < filter.limit) ids.push(entry.id);
      total += 1;
    }
    return { ids, total };
  }

  all(): readonly IndexEntry[] {
    return this.#entries;
  }

  /** Where the entry with this id stands, or would stand. */
  #positionOf(id: number): number {
    let low = 0;
    let high = this.#entries.length;
    // The newest are asked for most, and new ones come at the end.
    if ((this.#entries[high - 1]?.id ?? 0) < id) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.id ?? 0) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function matches(entry: IndexEntry, filter: JobFilter): boolean {
  if (filter.accountId !== undefined && entry.accountId !== filter.accountId) return false;
  return filter.state === undefined || entry.state === filter.state;
}
