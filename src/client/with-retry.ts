import { isVencError, VencError } from '../shared/errors.js';
import { exitCodes } from '../shared/exit-codes.js';
import { Semaphore } from '../shared/util/semaphore.js';
import type { Client } from './client.js';
import type { PollingSchedule } from './polling-schedule.js';
import { abortableSleep } from './retries.js';

/** Reports a network error: once when it begins, and once when the service answers again. */
export type ConnectionEvent =
  | { readonly type: 'unreachable'; readonly error: VencError }
  | { readonly type: 'back' };

/** Options of `createWithRetry`. */
interface RetryOptions {
  readonly client: Pick<Client, 'relocate'>;
  readonly schedule: PollingSchedule;
  readonly signal: AbortSignal | undefined;
  /** The service answered a moment ago, so a network error at the first request is retried as well. */
  readonly isKnownReachable: boolean;
  /** Replaces the clock in tests. */
  readonly sleep?: typeof abortableSleep;
}

/** Maximum wait that a service may ask for: it may be available again long before. */
const maxWaitSeconds = 60;

/** Sends one request when the schedule allows it. Requests of several callers are sent one at a time. */
export type WithRetry = <T>(request: () => Promise<T>) => AsyncGenerator<ConnectionEvent, T, undefined>;

/**
 * Sends requests and retries them after network errors. Throws permanent errors: a rejection, a service that never
 * answered, and the signal's reason (`InterruptedError` unless it is a `VencError`).
 */
export function createWithRetry({
  client,
  schedule,
  signal,
  isKnownReachable,
  sleep = abortableSleep,
}: RetryOptions): WithRetry {
  let hasAnswered = isKnownReachable;
  let isDisconnected = false;
  const semaphore = new Semaphore(1);

  async function* retry<T>(request: () => Promise<T>): AsyncGenerator<ConnectionEvent, T, undefined> {
    for (;;) {
      try {
        await schedule.waitForSlot(signal);
        const response = await request();
        hasAnswered = true;
        if (isDisconnected) yield { type: 'back' };
        isDisconnected = false;
        return response;
      } catch (error) {
        if (signal?.aborted === true) throw toAbortError(signal);
        if (!hasAnswered || !isVencError(error) || error.entry.exitCode !== exitCodes.unreachable)
          throw error;
        if (!isDisconnected) yield { type: 'unreachable', error };
        isDisconnected = true;
        schedule.endRound(false);
        await waitForRetryAfter(error, sleep, signal);
        await client.relocate();
      }
    }
  }

  return async function* withRetry(request) {
    const release = await semaphore.acquire(0, signal);
    try {
      return yield* retry(request);
    } finally {
      release();
    }
  };
}

/** Respects `Retry-After`: a service with a rate limit may block clients that retry earlier. */
async function waitForRetryAfter(
  error: VencError,
  sleep: typeof abortableSleep,
  signal: AbortSignal | undefined,
): Promise<void> {
  const seconds = Math.min(error.retryAfterSeconds ?? 0, maxWaitSeconds);
  try {
    if (seconds > 0) await sleep(seconds * 1000, signal);
  } catch (reason) {
    throw signal?.aborted === true ? toAbortError(signal) : reason;
  }
}

/** The error of an aborted signal: its reason if that is a `VencError`, otherwise `InterruptedError`. */
export function toAbortError(signal: AbortSignal): VencError {
  return isVencError(signal.reason) ? signal.reason : new VencError('InterruptedError', 'Interrupted.');
}
