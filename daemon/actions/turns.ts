import { VencError } from '../../src/shared/errors.js';
import { Semaphore } from '../../src/shared/util/semaphore.js';

/** Seconds after which a client may search again. */
const retryAfterSeconds = 1;

/** Lets each key search once at a time: a search reads the records of many jobs. */
export class SearchTurns {
  readonly #byKey = new Map<string, { readonly turn: Semaphore; count: number }>();

  /**
   * Runs a search after the one that runs with the same key; settles like it. Rejects with `TooManyRequestsError` if
   * another one waits already, and with the reason of the signal if it is aborted meanwhile.
   */
  async run<Result>(
    keyId: string,
    signal: AbortSignal | undefined,
    search: () => Promise<Result>,
  ): Promise<Result> {
    const own = this.#byKey.get(keyId) ?? { turn: new Semaphore(1), count: 0 };
    if (own.turn.waitingCount > 0)
      throw new VencError('TooManyRequestsError', 'Another search with this key is running.', {
        retryAfterSeconds,
      });
    this.#byKey.set(keyId, own);
    own.count += 1;
    try {
      const release = await own.turn.acquire(0, signal);
      try {
        return await search();
      } finally {
        release();
      }
    } finally {
      own.count -= 1;
      if (own.count === 0) this.#byKey.delete(keyId);
    }
  }
}
