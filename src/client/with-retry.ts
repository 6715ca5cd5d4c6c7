import { isVencError, VencError } from '../shared/errors.js';
import { exitCodes } from '../shared/exit-codes.js';
import { abortableSleep } from './abortable-sleep.js';
import type { Client } from './client.js';
import type { PollingSchedule } from './polling-schedule.js';

/** What is told of an outage: once when it begins, and once when it is over. */
export type ConnectionEvent =
  | { readonly type: 'unreachable'; readonly error: VencError }
  | { readonly type: 'back' };

/** How to ask. */
export interface RetryOptions {
  readonly client: Pick<Client, 'relocate'>;
  readonly schedule: PollingSchedule;
  readonly signal: AbortSignal | undefined;
  /** The service answered a moment ago: an outage at the first question is waited out as well. */
  readonly isKnownReachable: boolean;
  /** How time passes, for tests. */
  readonly sleep?: typeof abortableSleep;
}

/** Longest time for which a service is left alone because it asks for that: it may be there again long before. */
const maxWaitSeconds = 60;

/** Puts one question, when its turn has come. */
export type WithRetry = <T>(request: () => Promise<T>) => AsyncGenerator<ConnectionEvent, T, undefined>;

/**
 * Puts questions to a service and waits outages out. Throws what cannot pass: a refusal, a service that never answered, and the
 * signal's own reason (`InterruptedError` where that is none of ours).
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
  return async function* withRetry(request) {
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
  };
}

/** Respects `Retry-After`: a service with a rate limit may block clients that ask earlier. */
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

/** The error that an aborted signal ends work with: its own reason, `InterruptedError` where that is none of ours. */
export function toAbortError(signal: AbortSignal): VencError {
  return isVencError(signal.reason) ? signal.reason : new VencError('InterruptedError', 'Interrupted.');
}
