import { idempotencyTtlMs } from '../job-store.js';

/** That a job was created under an `Idempotency-Key`. */
export interface IdempotencyKeyUse {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
}

interface KnownKey extends IdempotencyKeyUse {
  readonly id: number;
}

/**
 * The jobs that were created under a key of late. Keys are held in two generations, each of one life of a key: whenever the
 * younger is as old as that, it becomes the elder, and what the elder held is let go. So a key is known for
 * one life at least and for two at most, and letting go costs nothing on the way of a create.
 */
export class IdempotencyIndex {
  #current = new Map<string, KnownKey>();
  #previous = new Map<string, KnownKey>();
  #currentSinceMs: number | null = null;

  /**
   * Tells what time it is, in milliseconds since 1970: that of the latest draft. Nothing here reads a clock. A clock that was put back
   * a day counts like a day that has passed.
   */
  rotate(nowMs: number): void {
    this.#currentSinceMs ??= nowMs;
    if (Math.abs(nowMs - this.#currentSinceMs) < idempotencyTtlMs) return;
    this.#previous = this.#current;
    this.#current = new Map();
    this.#currentSinceMs = nowMs;
  }

  /** Takes in that a job was created under a key. Of several jobs the newest counts. */
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

  /** Every use that is still known, by the id of its job. */
  byId(): ReadonlyMap<number, IdempotencyKeyUse> {
    return new Map([...this.#previous.values(), ...this.#current.values()].map((known) => [known.id, known]));
  }

  #known(accountId: string, key: string): KnownKey | undefined {
    const name = idempotencyName(accountId, key);
    return this.#current.get(name) ?? this.#previous.get(name);
  }
}

/** One name for an account and a key; no other pair has it. */
export function idempotencyName(accountId: string, key: string): string {
  return JSON.stringify([accountId, key]);
}
