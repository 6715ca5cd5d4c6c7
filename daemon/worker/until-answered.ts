import { type Backoff, backoffDelayMs } from '../../src/shared/util/timing.js';
import { delay } from '../queue/retry-until-persisted.js';
import { WorkerRequestError } from './worker-client.js';

/** Delays between the attempts to reach the daemon: short, so that a worker is back soon after the daemon is. */
const backoff: Backoff = { firstMs: 250, maxMs: 5_000 };
/** The longest `Retry-After` that is respected. */
const maxRetryAfterMs = 30_000;

/** Options of `untilAnswered`. */
interface UntilAnsweredOptions {
  /** Ends the attempts. */
  readonly signal: AbortSignal;
  /** Called after each failure that is followed by another attempt, with the number of failures in a row. */
  readonly onFailure?: (error: WorkerRequestError, failures: number) => void;
}

/**
 * Repeats a request until the daemon has answered it: while it cannot be reached, is too busy, or a proxy answers
 * instead of it. Rejects with `WorkerRequestError` if the daemon rejects the request, and with the reason of the
 * signal.
 */
export async function untilAnswered<T>(
  send: () => Promise<T>,
  { signal, onFailure }: UntilAnsweredOptions,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    try {
      return await send();
    } catch (error) {
      if (!isUnanswered(error)) throw error;
      onFailure?.(error, failures);
      await delay(retryDelayMs(error, failures), signal);
    }
  }
}

/** Whether the daemon has not answered a request, so that it can be repeated. */
export function isUnanswered(error: unknown): error is WorkerRequestError {
  return error instanceof WorkerRequestError && (error.details.isTransient || error.details.status === null);
}

/** How long to wait after the given number of failures in a row, in milliseconds. */
export function retryDelayMs(error: unknown, failures: number): number {
  const requested = error instanceof WorkerRequestError ? (error.details.retryAfterMs ?? 0) : 0;
  return Math.max(Math.min(requested, maxRetryAfterMs), backoffDelayMs(failures, backoff));
}
