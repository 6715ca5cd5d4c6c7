import { setTimeout as sleep } from 'node:timers/promises';
import type { ErrorClass } from '../../src/shared/error-classes.js';
import { isVencError } from '../../src/shared/errors.js';
import { type Backoff, backoffDelayMs } from '../../src/shared/util/backoff.js';

/** Waits so many milliseconds, less where the signal is aborted. Never rejects. */
export type Delay = (delayMs: number, signal: AbortSignal) => Promise<void>;

/** The pause of a run: the program does not end while a job is on its way. */
export const delay: Delay = (delayMs, signal) => abortableSleep(delayMs, signal, true);

/** The pause of what can as well be done at the next start: the program may end meanwhile. */
export const unrefDelay: Delay = (delayMs, signal) => abortableSleep(delayMs, signal, false);

function abortableSleep(delayMs: number, signal: AbortSignal, ref: boolean): Promise<void> {
  return sleep(delayMs, undefined, { signal, ref }).catch(() => {
    // Aborted: the pause is over, and whoever waited looks at the signal.
  });
}

/** The delays between attempts. */
export const backoff: Backoff = { firstMs: 250, maxMs: 30_000 };

/** What no second attempt would change: the store answered, and the answer is no. */
const permanentErrors: ReadonlySet<ErrorClass> = new Set<ErrorClass>([
  'NotFoundError',
  'GoneError',
  'ClaimLostError',
  'IllegalChangeError',
]);

/** How a write is repeated. */
export interface PersistRetryOptions {
  /** Ends the trying. */
  readonly signal: AbortSignal;
  readonly delay: Delay;
  /** Told of each failure that is followed by another attempt. */
  readonly onFailure: (error: unknown, delayMs: number) => void;
}

/**
 * Tries a write of the store until it is kept: a disk without room, or a database that is away, only delays it.
 * Resolves to null when the signal was aborted first; rejects with what no further attempt would change, such as
 * `NotFoundError`.
 */
export async function retryUntilPersisted<T>(
  write: () => Promise<T>,
  retryOptions: PersistRetryOptions,
): Promise<T | null> {
  for (let failures = 1; ; failures += 1) {
    if (retryOptions.signal.aborted) return null;
    try {
      return await write();
    } catch (error) {
      if (isVencError(error) && permanentErrors.has(error.errorClass)) throw error;
      if (retryOptions.signal.aborted) return null;
      const delayMs = backoffDelayMs(failures, backoff);
      retryOptions.onFailure(error, delayMs);
      await retryOptions.delay(delayMs, retryOptions.signal);
    }
  }
}
