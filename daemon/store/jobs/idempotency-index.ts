import { onceLifeMs } from '../job-store.js';

/** That a job was created under an `Idempotency-Key`. */
export interface KeyUse {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
}

interface Known extends KeyUse {
  readonly id: number;
}

/**
 * The jobs that were created under a key of late. Keys are held in two generations, each of one life of a key: whenever the
 * younger is as old as that, it becomes the elder, and what the elder held is let go. So a key is known for
 * one life at least and for two at most, and letting go costs nothing on the way of a create.
 */
export class OnceKeys {
  #younger = new Map<string, Known>();
  #elder = new Map<string, Known>();
  #youngerSinceMs: number | null = null;

  /**
   * Tells what time it is, in milliseconds since 1970: that of the latest draft. Nothing here reads a clock. A clock that was put back
   * a day counts like a day that has passed.
   */
  passTo(nowMs: number): void {
    this.#youngerSinceMs ??= nowMs;
    if (Math.abs(nowMs - this.#youngerSinceMs) < onceLifeMs) return;
    this.#elder = this.#younger;
    this.#younger = new Map();
    this.#youngerSinceMs = nowMs;
  }

  /** Takes in that a job was created under a key. Of several jobs the newest counts. */
  note(accountId: string, id: number, { key, createdAtMs }: KeyUse): void {
    const known = this.#known(accountId, key);
    if (known === undefined || known.id < id)
      this.#younger.set(onceName(accountId, key), { id, key, createdAtMs });
  }

  /** The id of the job that was created under a key after `sinceMs`. */
  find(accountId: string, key: string, sinceMs: number): number | null {
    const known = this.#known(accountId, key);
    return known !== undefined && known.createdAtMs > sinceMs ? known.id : null;
  }

  /** Every use that is still known, by the id of its job. */
  byId(): ReadonlyMap<number, KeyUse> {
    return new Map([...this.#elder.values(), ...this.#younger.values()].map((known) => [known.id, known]));
  }

  #known(accountId: string, key: string): Known | undefined {
    const name = onceName(accountId, key);
    return this.#younger.get(name) ?? this.#elder.get(name);
  }
}

/** One name for an account and a key; no other pair has it. */
export function onceName(accountId: string, key: string): string {
  return JSON.stringify([accountId, key]);
}
