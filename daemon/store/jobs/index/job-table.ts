import { type JobState, jobStates } from '../../../../src/shared/states.js';
import type { JobDailyUsage } from '../../../jobs/usage.js';
import { doneFolderName, firstIdOfDoneFolder } from '../../data-folder/layout.js';
import type { RemovableFilter } from '../../job-store.js';
import type { IndexEntry } from '../index-entry.js';

/** The words of a row. */
const column = {
  id: 0,
  account: 1,
  /** The number of the state, and `flag`s from bit 8. */
  state: 2,
  end: 3,
  day: 4,
  /** 0 for none, otherwise one more than the number of the grouping. */
  grouping: 5,
  encodedLow: 6,
  encodedHigh: 7,
} as const;

const flag = {
  notifications: 1 << 8,
  /** Its usage is in the columns. */
  usage: 1 << 9,
  /** Its usage is billable. */
  billable: 1 << 10,
  /** Its usage is in `#otherUsage`. */
  otherUsage: 1 << 11,
} as const;

/** The texts that the rows of a table refer to. */
export interface TableTexts {
  readonly accounts: readonly string[];
  readonly days: readonly string[];
  readonly groupings: readonly string[];
}

/** An entry without its idempotency key, which expires earlier. */
export type TableEntry = Omit<IndexEntry, 'idempotencyKey'>;

/** The rows of one folder of ids. */
export interface TableFolder {
  readonly words: Uint32Array;
  /** The usage that does not fit into a row, by id. */
  readonly otherUsage: readonly (readonly [id: number, usage: readonly JobDailyUsage[]])[];
}

/**
 * The entries of all jobs, 32 bytes each, in blocks of a thousand ids, which are the folders of final jobs on disk.
 * The usage of nearly every job is of one day and fits into its row; other usage is kept in a map.
 */
export class JobTable {
  readonly #blocks = new Map<string, JobBlock>();
  /** The number of changes of each folder, also of one without jobs. */
  readonly #changeCounts = new Map<string, number>();
  readonly #accounts: StringTable;
  readonly #days: StringTable;
  readonly #groupings: StringTable;
  readonly #otherUsage = new Map<number, readonly JobDailyUsage[]>();

  /** A table for rows that refer to given texts. */
  constructor(texts: TableTexts = { accounts: [], days: [], groupings: [] }) {
    this.#accounts = new StringTable(texts.accounts);
    this.#days = new StringTable(texts.days);
    this.#groupings = new StringTable(texts.groupings);
  }

  /** The texts that the rows refer to. */
  get texts(): TableTexts {
    return {
      accounts: this.#accounts.all(),
      days: this.#days.all(),
      groupings: this.#groupings.all(),
    };
  }

  get(id: number): TableEntry | undefined {
    const row = this.#blocks.get(doneFolderName(id))?.get(id);
    return row === undefined ? undefined : this.#entryOf(row);
  }

  /** Adds an entry, or replaces the one with its id. */
  put({ id, accountId, state, endedAtSeconds, usage, hasNotifications }: TableEntry): void {
    const name = doneFolderName(id);
    let block = this.#blocks.get(name);
    if (block === undefined) {
      block = new JobBlock();
      this.#blocks.set(name, block);
    }
    this.#countChange(name);
    const row = block.put(id);
    row[column.account] = this.#accounts.numberOf(accountId);
    row[column.end] = endedAtSeconds;
    row[column.state] =
      jobStates.indexOf(state) | (hasNotifications ? flag.notifications : 0) | this.#putUsage(row, id, usage);
  }

  /** Removes an entry; no-op if it is missing. */
  delete(id: number): void {
    const name = doneFolderName(id);
    const block = this.#blocks.get(name);
    block?.delete(id);
    if (block?.size === 0) this.#blocks.delete(name);
    this.#countChange(name);
    this.#otherUsage.delete(id);
  }

  /**
   * Adds the rows of a folder that has none yet, and returns their entries; null if a row is invalid, and nothing is
   * added then.
   */
  addFolder(name: string, { words, otherUsage }: TableFolder): readonly TableEntry[] | null {
    const firstId = firstIdOfDoneFolder(name);
    if (firstId === null || !this.#areValid(words, firstId)) return null;
    for (const [id, usage] of otherUsage) this.#otherUsage.set(id, usage);
    this.#blocks.set(name, new JobBlock(words));
    return Array.from(rowsOf(words), (row) => this.#entryOf(row));
  }

  /** The names of all folders with jobs. */
  folderNames(): readonly string[] {
    return [...this.#blocks.keys()];
  }

  /** A copy of the rows of the final jobs of a folder. */
  finalRowsOf(name: string): TableFolder {
    const rows = [...rowsOf(this.#blocks.get(name)?.words ?? new Uint32Array(0))].filter(isFinalRow);
    const words = new Uint32Array(rows.length * wordsPerJob);
    for (const [index, row] of rows.entries()) words.set(row, index * wordsPerJob);
    const otherUsage = rows.flatMap(([id = 0]) => {
      const usage = this.#otherUsage.get(id);
      return usage === undefined ? [] : [[id, usage] as const];
    });
    return { words, otherUsage };
  }

  /** Grows with each change of the jobs of a folder. */
  changeCountOf(name: string): number {
    return this.#changeCounts.get(name) ?? 0;
  }

  /**
   * See `JobStore.listRemovable`. Jobs without a valid time of their end are never removable. Looks at every job, which
   * takes a few milliseconds for a million.
   */
  listRemovable({ endedBefore, maxCount, limit }: RemovableFilter): readonly number[] {
    const found: { readonly id: number; readonly end: number }[] = [];
    let count = 0;
    for (const block of this.#blocks.values()) {
      const { words } = block;
      for (let start = 0; start < words.length; start += wordsPerJob) {
        const end = words[start + column.end] ?? 0;
        if (end === 0 || ((words[start + column.state] ?? 0) & flag.notifications) !== 0) continue;
        count += 1;
        if (found.length >= limit && end >= (found.at(-1)?.end ?? 0)) continue;
        let position = found.length;
        while (position > 0 && (found[position - 1]?.end ?? 0) > end) position -= 1;
        found.splice(position, 0, { id: words[start] ?? 0, end });
        if (found.length > limit) found.pop();
      }
    }
    const excess = maxCount === null ? 0 : count - maxCount;
    const endedBeforeSeconds = endedBefore === null ? 0 : endedBefore.getTime() / 1000;
    return found
      .filter(({ end }, position) => position < excess || end < endedBeforeSeconds)
      .map(({ id }) => id);
  }

  #countChange(name: string): void {
    this.#changeCounts.set(name, this.changeCountOf(name) + 1);
  }

  #putUsage(row: Uint32Array, id: number, usage: readonly JobDailyUsage[]): number {
    this.#otherUsage.delete(id);
    const [only] = usage;
    if (only === undefined) return 0;
    const { day, grouping, encodedMs, billableMs } = only;
    if (usage.length > 1 || (billableMs !== 0 && billableMs !== encodedMs)) {
      this.#otherUsage.set(id, usage);
      return flag.otherUsage;
    }
    row[column.day] = this.#days.numberOf(day);
    row[column.grouping] = grouping === null ? 0 : this.#groupings.numberOf(grouping) + 1;
    row[column.encodedLow] = encodedMs % 2 ** 32;
    row[column.encodedHigh] = Math.floor(encodedMs / 2 ** 32);
    return flag.usage | (billableMs === 0 ? 0 : flag.billable);
  }

  #entryOf(row: Uint32Array): TableEntry {
    const id = row[column.id] ?? 0;
    const state = row[column.state] ?? 0;
    return {
      id,
      accountId: this.#accounts.textOf(row[column.account] ?? 0),
      state: stateOf(state),
      endedAtSeconds: row[column.end] ?? 0,
      usage: this.#usageOf(row, id, state),
      hasNotifications: (state & flag.notifications) !== 0,
    };
  }

  #usageOf(row: Uint32Array, id: number, state: number): readonly JobDailyUsage[] {
    if ((state & flag.otherUsage) !== 0) return this.#otherUsage.get(id) ?? [];
    if ((state & flag.usage) === 0) return [];
    const encodedMs = (row[column.encodedHigh] ?? 0) * 2 ** 32 + (row[column.encodedLow] ?? 0);
    const grouping = row[column.grouping] ?? 0;
    return [
      {
        day: this.#days.textOf(row[column.day] ?? 0),
        grouping: grouping === 0 ? null : this.#groupings.textOf(grouping - 1),
        encodedMs,
        billableMs: (state & flag.billable) === 0 ? 0 : encodedMs,
      },
    ];
  }

  /** Whether all rows are those of final jobs of a folder, ordered by id, and refer to known texts. */
  #areValid(words: Uint32Array, firstId: number): boolean {
    let previousId = firstId - 1;
    for (const row of rowsOf(words)) {
      const [id = 0, account = 0, , , day = 0, grouping = 0] = row;
      if (id <= previousId || doneFolderName(id) !== doneFolderName(firstId) || !isFinalRow(row))
        return false;
      if (account >= this.#accounts.size || grouping > this.#groupings.size) return false;
      if (((row[column.state] ?? 0) & flag.usage) !== 0 && day >= this.#days.size) return false;
      previousId = id;
    }
    return true;
  }
}

function* rowsOf(words: Uint32Array): Generator<Uint32Array> {
  for (let start = 0; start < words.length; start += wordsPerJob)
    yield words.subarray(start, start + wordsPerJob);
}

function stateOf(word: number): JobState {
  const state = jobStates[word & 0xff];
  if (state === undefined) throw new RangeError(`There is no state ${word & 0xff}.`);
  return state;
}

const firstFinalState = jobStates.indexOf('finished');

/** The final states are the last ones. */
function isFinalState(word: number): boolean {
  const state = word & 0xff;
  return state >= firstFinalState && state < jobStates.length;
}

function isFinalRow(row: Uint32Array): boolean {
  return isFinalState(row[column.state] ?? 0);
}

/** Number of words of 32 bits of a job in a block. */
export const wordsPerJob = 8;

/** Rows are added to a new block one by one: the array grows by half. */
const firstCapacity = 8;

/**
 * The jobs of one folder of ids, as rows of words in one typed array, ordered by id. The first word of a row is the
 * id. Objects were rejected: an entry with its usage takes about 400 bytes, a row takes 32.
 */
class JobBlock {
  #words: Uint32Array;
  #count: number;

  /** Takes over the rows of an index. */
  constructor(words: Uint32Array<ArrayBufferLike> = new Uint32Array(0)) {
    this.#words = words;
    this.#count = words.length / wordsPerJob;
  }

  get size(): number {
    return this.#count;
  }

  /** All rows. The array must not be changed, and is valid until the next change of the block. */
  get words(): Uint32Array {
    return this.#words.subarray(0, this.#count * wordsPerJob);
  }

  /** The row of a job; undefined if there is none. */
  get(id: number): Uint32Array | undefined {
    const position = this.#positionOf(id);
    return this.#idAt(position) === id ? this.#rowAt(position) : undefined;
  }

  /** The row of a job to write to, zero except for its id. It is added if it is missing. */
  put(id: number): Uint32Array {
    const position = this.#positionOf(id);
    if (this.#idAt(position) !== id) this.#insert(position);
    const row = this.#rowAt(position).fill(0);
    row[0] = id;
    return row;
  }

  /** Removes a job; no-op if it is missing. */
  delete(id: number): void {
    const position = this.#positionOf(id);
    if (this.#idAt(position) !== id) return;
    this.#words.copyWithin(position * wordsPerJob, (position + 1) * wordsPerJob, this.#count * wordsPerJob);
    this.#count -= 1;
  }

  #insert(position: number): void {
    if ((this.#count + 1) * wordsPerJob > this.#words.length) {
      const capacity = Math.max(firstCapacity, Math.ceil(this.#count * 1.5));
      const words = new Uint32Array(capacity * wordsPerJob);
      words.set(this.words);
      this.#words = words;
    }
    const start = position * wordsPerJob;
    this.#words.copyWithin(start + wordsPerJob, start, this.#count * wordsPerJob);
    this.#count += 1;
  }

  #rowAt(position: number): Uint32Array {
    return this.#words.subarray(position * wordsPerJob, (position + 1) * wordsPerJob);
  }

  /** The id at a position; undefined after the last one. */
  #idAt(position: number): number | undefined {
    return position < this.#count ? this.#words[position * wordsPerJob] : undefined;
  }

  /** The position of an id, or where it would be inserted. */
  #positionOf(id: number): number {
    let low = 0;
    let high = this.#count;
    // Most jobs are added at the end.
    if (high > 0 && (this.#idAt(high - 1) ?? 0) < id) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#idAt(middle) ?? 0) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Numbers texts that many jobs have in common, such as the ids of accounts, so that a job stores a number. A text is
 * never removed: an account, a day or a grouping whose jobs are gone may still have usage.
 */
class StringTable {
  readonly #texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  constructor(texts: readonly string[] = []) {
    for (const text of texts) this.numberOf(text);
  }

  /** The number of texts. */
  get size(): number {
    return this.#texts.length;
  }

  /** The number of a text, which is added if it is new. */
  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }

  /** The text with a number. */
  textOf(number: number): string {
    const text = this.#texts[number];
    if (text === undefined) throw new RangeError(`There is no text ${number}.`);
    return text;
  }

  /** All texts, by number. */
  all(): readonly string[] {
    return this.#texts;
  }
}
