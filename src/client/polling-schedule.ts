import { parseUrl } from '../shared/text/url-text.js';
import { abortableSleep } from './retries.js';

/** Bounds of the time between requests, in milliseconds. */
export interface PollingLimits {
  readonly minIntervalMs: number;
  readonly maxIntervalMs: number;
  /**
   * Minimum between two requests of one round, if less than `minIntervalMs`: the end of a job takes a request to its
   * stream and one for its details.
   */
  readonly minRequestGapMs?: number;
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
    ? { minIntervalMs: 200, maxIntervalMs: 1000, minRequestGapMs: 10 }
    : { minIntervalMs: 1000, maxIntervalMs: 5000 };
}

/**
 * Maximum number of open streams. Each is a connection, which a remote service keeps for each of its clients. On this
 * machine the number covers a whole page of jobs: polling thirty of fifty jobs and streaming the others took twice the
 * CPU time of streaming all.
 */
export function maxStreamsFor(url: string): number {
  return isLocalUrl(url) ? 60 : 6;
}

/** Whether a URL names this machine. */
export function isLocalUrl(url: string): boolean {
  const host = parseUrl(url)?.hostname ?? '';
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
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
