import type { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import type { Disk } from '../../../src/shared/util/disk.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import { randomToken } from '../../../src/shared/util/random-token.js';
import { readDocument } from '../data-folder/document.js';
import type { ChangedJobs } from '../job-store.js';

/** The last change of a job. */
interface LastChange {
  readonly number: number;
  readonly accountId: string;
  readonly isRemoved: boolean;
}

/** The last changes that are known; those of more jobs are forgotten, the oldest first. */
const maxChanges = 10_000;

/** A history as it is written to disk. */
interface StoredHistory {
  readonly origin: string;
  readonly last: number;
  readonly forgotten: number;
  readonly changes: readonly (readonly [jobId: number, change: LastChange])[];
}

/**
 * The order in which jobs have changed. A position names a history and the number of a change, so it depends on no
 * clock. A history is written to disk when the store closes and goes on at the next start. After a crash, a new one
 * begins, in which earlier positions are unknown.
 */
export class ChangeHistory {
  readonly #origin: string;
  #last: number;
  /** The changes up to this number are not all known. */
  #forgotten: number;
  /** The oldest first. */
  readonly #changes: Map<number, LastChange>;

  constructor({ origin, last, forgotten, changes }: StoredHistory = newHistory()) {
    this.#origin = origin;
    this.#last = last;
    this.#forgotten = forgotten;
    this.#changes = new Map(changes);
  }

  /** The position after the last change. */
  get position(): string {
    return `${this.#origin}-${this.#last}`;
  }

  /** Adds a change of a job, or its removal. */
  add(jobId: number, accountId: string, isRemoved = false): void {
    this.#last += 1;
    this.#changes.delete(jobId);
    this.#changes.set(jobId, { number: this.#last, accountId, isRemoved });
    if (this.#changes.size <= maxChanges) return;
    for (const [oldest, { number }] of this.#changes) {
      this.#changes.delete(oldest);
      this.#forgotten = number;
      break;
    }
  }

  /** The jobs of an account, or with null of all, that changed after a position; null if that is unknown. */
  since(position: string, accountId: string | null): ChangedJobs | null {
    const [, origin, digits] = /^([0-9a-f]+)-(\d{1,15})$/.exec(position) ?? [];
    const after = Number(digits);
    if (origin !== this.#origin || after < this.#forgotten || after > this.#last) return null;
    const [changed, removed]: [number[], number[]] = [[], []];
    for (const [jobId, change] of this.#changes)
      if (change.number > after && (accountId === null || change.accountId === accountId))
        (change.isRemoved ? removed : changed).push(jobId);
    return { changed, removed };
  }

  /** Writes the history, for `openHistory`. Rejects as `AtomicFiles.write` does. */
  async write(files: AtomicFiles, path: string): Promise<void> {
    const stored: StoredHistory = {
      ...{ origin: this.#origin, last: this.#last, forgotten: this.#forgotten },
      changes: [...this.#changes],
    };
    await files.write(path, JSON.stringify(stored));
  }
}

function newHistory(): StoredHistory {
  return { origin: randomToken().slice(0, 12), last: 0, forgotten: 0, changes: [] };
}

/**
 * Reads the history that the last close has written, and removes it durably: after a crash it would lack changes.
 * Begins a new one if there is none or it cannot be removed.
 */
export async function openHistory(path: string, folder: string, disk: Disk): Promise<ChangeHistory> {
  const found = await readDocument(path, parseHistory);
  if (found.kind === 'missing') return new ChangeHistory();
  try {
    await disk.remove(path);
    await disk.syncFolder(folder);
  } catch {
    return new ChangeHistory();
  }
  return found.kind === 'whole' ? new ChangeHistory(found.data) : new ChangeHistory();
}

function parseHistory(value: unknown): StoredHistory | null {
  if (!isObject(value)) return null;
  const { origin, last, forgotten, changes } = value;
  if (typeof origin !== 'string' || !isNumber(last) || !isNumber(forgotten)) return null;
  if (!Array.isArray(changes) || !changes.every(isEntry)) return null;
  return { origin, last, forgotten, changes };
}

function isEntry(value: unknown): value is StoredHistory['changes'][number] {
  if (!Array.isArray(value)) return false;
  const [jobId, change]: readonly unknown[] = value;
  if (!isNumber(jobId) || !isObject(change)) return false;
  const { number, accountId, isRemoved } = change;
  return isNumber(number) && typeof accountId === 'string' && typeof isRemoved === 'boolean';
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
