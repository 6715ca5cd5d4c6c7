import { doneFolderName } from '../../data-folder/layout.js';
import { idempotencyTtlMs } from '../../job-store.js';
import { type IdempotencyKeyUse, idempotencyName } from '../index-entry.js';

/** A job that was created under a key. */
export interface KeyedJob extends IdempotencyKeyUse {
  readonly id: number;
  readonly accountId: string;
}

/**
 * The jobs that were recently created under a key. Keys are held in two generations, each for one lifetime of
 * a key. When the current generation is that old, it becomes the previous one, whose keys are dropped. A key
 * is therefore known for at least one lifetime and at most two, and dropping keys costs a create nothing.
 */
export class IdempotencyIndex {
  #current = new Map<string, KeyedJob>();
  #previous = new Map<string, KeyedJob>();
  #currentSinceMs: number | null = null;

  /**
   * Starts a new generation if the current one is old enough. `nowMs` is the time of the latest draft, in
   * milliseconds since 1970: nothing here reads a clock. A clock that was set back by a day counts as a day
   * that has passed.
   */
  rotate(nowMs: number): void {
    this.#currentSinceMs ??= nowMs;
    if (Math.abs(nowMs - this.#currentSinceMs) < idempotencyTtlMs) return;
    this.#previous = this.#current;
    this.#current = new Map();
    this.#currentSinceMs = nowMs;
  }

  /** Records that a job was created under a key. Of several jobs the newest counts. */
  add(accountId: string, id: number, { key, createdAtMs }: IdempotencyKeyUse): void {
    const known = this.#known(accountId, key);
    if (known === undefined || known.id < id)
      this.#current.set(idempotencyName(accountId, key), { id, accountId, key, createdAtMs });
  }

  /** The id of the job that was created under a key after `sinceMs`. */
  find(accountId: string, key: string, sinceMs: number): number | null {
    const known = this.#known(accountId, key);
    return known !== undefined && known.createdAtMs > sinceMs ? known.id : null;
  }

  /** The number of keys in memory. */
  get size(): number {
    return this.#previous.size + this.#current.size;
  }

  /** The jobs with known keys, oldest first, by the name of their folder. */
  byFolder(): ReadonlyMap<string, readonly KeyedJob[]> {
    const byId = new Map([...this.#previous.values(), ...this.#current.values()].map((job) => [job.id, job]));
    const folders = new Map<string, KeyedJob[]>();
    for (const job of [...byId.values()].sort((a, b) => a.id - b.id)) {
      const name = doneFolderName(job.id);
      const jobs = folders.get(name);
      if (jobs === undefined) folders.set(name, [job]);
      else jobs.push(job);
    }
    return folders;
  }

  #known(accountId: string, key: string): KeyedJob | undefined {
    const name = idempotencyName(accountId, key);
    return this.#current.get(name) ?? this.#previous.get(name);
  }
}
