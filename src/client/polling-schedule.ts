import { isVencError, VencError } from '../shared/errors.js';
import { exitCodes } from '../shared/exit-codes.js';
import { Semaphore } from '../shared/util/semaphore.js';
import { abortableSleep } from '../shared/util/timing.js';
import type { Client } from './client.js';
import { isLocalUrl } from './target.js';

/** Bounds of the time between requests, in milliseconds. */
export interface PollingLimits {
  readonly minIntervalMs: number;
  readonly maxIntervalMs: number;
  /**
   * Minimum between two requests of one round, if less than `minIntervalMs`: the end of a job takes a request to its
   * stream and one for its details.
   */
  readonly minRequestGapMs?: number;
  /** The time between two lists of new jobs. */
  readonly discoveryIntervalMs?: number;
}

/**
 * Decides when the next request may be sent: soon while jobs change, rarely while they do not. Several callers may
 * share a schedule.
 */
export interface PollingSchedule {
  /** Resolves when the next request may be sent, and takes that slot. Rejects once the signal is aborted. */
  waitForSlot(signal?: AbortSignal): Promise<void>;
  /**
   * Resolves when the slot that is next at the time of the call is due, without taking it. Rejects once the signal is
   * aborted.
   */
  waitUntilDue(signal?: AbortSignal): Promise<void>;
  /**
   * Ends a round of requests. The next round begins after an interval that depends on whether anything changed, or
   * after the time that the service asks for, within the limits.
   */
  endRound(hasChanged: boolean, requestedMs?: number): void;
}

/** The clock of a schedule, in milliseconds. */
interface PollingClock {
  now(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

const systemClock: PollingClock = { now: () => performance.now(), sleep: abortableSleep };

/** Requests to this machine cost next to nothing; other services are polled at most once per second. */
export function pollingLimitsFor(url: string): PollingLimits {
  return isLocalUrl(url)
    ? { minIntervalMs: 200, maxIntervalMs: 1000, minRequestGapMs: 10, discoveryIntervalMs: 2000 }
    : { minIntervalMs: 1000, maxIntervalMs: 5000, discoveryIntervalMs: 5000 };
}

/**
 * Maximum number of open streams. Each is a connection, which a remote service keeps for each of its clients. On this
 * machine the number covers a whole page of jobs: polling thirty of fifty jobs and streaming the others took twice the
 * CPU time of streaming all.
 */
export function maxStreamsFor(url: string): number {
  return isLocalUrl(url) ? 60 : 6;
}

/**
 * Creates a schedule. The first slot is due at once. While nothing changes the interval grows by half each round, so a
 * job of hours is polled rarely and the end of a job of seconds is seen at once.
 */
export function createPollingSchedule(
  limits: PollingLimits,
  clock: PollingClock = systemClock,
): PollingSchedule {
  let intervalMs = limits.minIntervalMs;
  let nextAt = 0;
  return {
    waitForSlot: async (signal) => {
      const now = clock.now();
      const at = Math.max(now, nextAt);
      nextAt = at + (limits.minRequestGapMs ?? limits.minIntervalMs);
      await clock.sleep(at - now, signal);
    },
    waitUntilDue: (signal) => clock.sleep(Math.max(0, nextAt - clock.now()), signal),
    endRound: (hasChanged, requestedMs = 0) => {
      intervalMs = hasChanged ? limits.minIntervalMs : Math.min(limits.maxIntervalMs, intervalMs * 1.5);
      nextAt = Math.max(
        nextAt,
        clock.now() + Math.max(intervalMs, Math.min(limits.maxIntervalMs, requestedMs)),
      );
    },
  };
}

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
