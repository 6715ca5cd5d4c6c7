import { idempotencyTtlMs } from '../job-store.js';

/** The use of an `Idempotency-Key` for a job. */
export interface IdempotencyKeyUse {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
}

interface KnownKey extends IdempotencyKeyUse {
  readonly id: number;
}

/**
 * The jobs that were recently created under a key. Keys are held in two generations, each for one lifetime of
 * a key. When the current generation is that old, it becomes the previous one, whose keys are dropped. A key
 * is therefore known for at least one lifetime and at most two, and dropping keys costs a create nothing.
 */
export class IdempotencyIndex {
  #current = new Map<string, KnownKey>();
  #previous = new Map<string, KnownKey>();
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
      this.#current.set(idempotencyName(accountId, key), { id, key, createdAtMs });
  }

  /** The id of the job that was created under a key after `sinceMs`. */
  find(accountId: string, key: string, sinceMs: number): number | null {
    const known = this.#known(accountId, key);
    return known !== undefined && known.createdAtMs > sinceMs ? known.id : null;
  }

  /** All known uses, by job id. */
  byId(): ReadonlyMap<number, IdempotencyKeyUse> {
    return new Map([...this.#previous.values(), ...this.#current.values()].map((known) => [known.id, known]));
  }

  #known(accountId: string, key: string): KnownKey | undefined {
    const name = idempotencyName(accountId, key);
    return this.#current.get(name) ?? this.#previous.get(name);
  }
}

/** A unique name for an account and a key. */
export function idempotencyName(accountId: string, key: string): string {
  return JSON.stringify([accountId, key]);
}
