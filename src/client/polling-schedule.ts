import { abortableSleep } from './abortable-sleep.js';

/** Least and greatest milliseconds between two requests. */
export interface PollingLimits {
  readonly minIntervalMs: number;
  readonly maxIntervalMs: number;
  /** Least milliseconds between two requests of one round, where that is less: a job's end is a stream's end and its details. */
  readonly minRequestGapMs?: number;
}

/** Decides when the next request may go out: soon while things change, seldom while they stay. */
export interface PollingSchedule {
  /**
   * Resolves when the next request may be sent; rejects when the signal ends the wait. Several askers may share a pace: each has a
   * turn of its own.
   */
  waitForSlot(signal?: AbortSignal): Promise<void>;
  /** Milliseconds until a request could be sent; 0 where it could at once. */
  msUntilSlot(): number;
  /**
   * Ends a round of requests and tells whether it brought anything new: the next round begins after a wait that fits, or that the
   * service asks for, within the limits.
   */
  endRound(hasChanged: boolean, requestedMs?: number): void;
}

/** The time that a pace goes by, in milliseconds. */
export interface PollingClock {
  now(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

const systemClock: PollingClock = { now: () => performance.now(), sleep: abortableSleep };

/** Requests to this machine cost next to nothing; other people's services are asked once a second at most. */
export function pollingLimitsFor(url: string): PollingLimits {
  return isLocalUrl(url)
    ? { minIntervalMs: 200, maxIntervalMs: 1000, minRequestGapMs: 10 }
    : { minIntervalMs: 1000, maxIntervalMs: 5000 };
}

/**
 * How many streams may be open at a time: each is a connection, which another machine keeps for every one of its callers. On this one they are
 * enough for a whole page of jobs: to ask about thirty of fifty, and hear of the rest, took twice as much of a core as to hear of all.
 */
export function maxStreamsFor(url: string): number {
  return isLocalUrl(url) ? 60 : 6;
}

/** Whether an address is on this machine. */
export function isLocalUrl(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

/**
 * A pace within limits. The first request goes out at once, never two rounds closer than `leastMs`. Where nothing changes the waits grow by
 * half each round, so that a job of hours is asked about seldom and one of seconds is seen to end at once.
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
    msUntilSlot: () => Math.max(0, nextAt - clock.now()),
    endRound: (hasChanged, requestedMs = 0) => {
      intervalMs = hasChanged ? limits.minIntervalMs : Math.min(limits.maxIntervalMs, intervalMs * 1.5);
      nextAt = Math.max(
        nextAt,
        clock.now() + Math.max(intervalMs, Math.min(limits.maxIntervalMs, requestedMs)),
      );
    },
  };
}
