import { pause } from './pause.js';

/** Least and greatest milliseconds between two requests. */
export interface PaceLimits {
  readonly leastMs: number;
  readonly greatestMs: number;
  /** Least milliseconds between two requests of one round, where that is less: a job's end is a stream's end and its details. */
  readonly withinRoundMs?: number;
}

/** Decides when the next request may go out: soon while things change, seldom while they stay. */
export interface Pace {
  /**
   * Resolves when the next request may be sent; rejects when the signal ends the wait. Several askers may share a pace: each has a
   * turn of its own.
   */
  turn(signal?: AbortSignal): Promise<void>;
  /** Milliseconds until a request could be sent; 0 where it could at once. */
  untilTurn(): number;
  /**
   * Ends a round of requests and tells whether it brought anything new: the next round begins after a wait that fits, or that the
   * service asks for, within the limits.
   */
  note(hasChanged: boolean, askedMs?: number): void;
}

/** The time that a pace goes by, in milliseconds. */
export interface Clock {
  now(): number;
  pause(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

const realClock: Clock = { now: () => performance.now(), pause };

/** Requests to this machine cost next to nothing; other people's services are asked once a second at most. */
export function paceLimitsFor(url: string): PaceLimits {
  return isHere(url)
    ? { leastMs: 200, greatestMs: 1000, withinRoundMs: 10 }
    : { leastMs: 1000, greatestMs: 5000 };
}

/**
 * How many streams may be open at a time: each is a connection, which another machine keeps for every one of its callers. On this one they are
 * enough for a whole page of jobs: to ask about thirty of fifty, and hear of the rest, took twice as much of a core as to hear of all.
 */
export function mostStreamsFor(url: string): number {
  return isHere(url) ? 60 : 6;
}

/** Whether an address is on this machine. */
export function isHere(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

/**
 * A pace within limits. The first request goes out at once, never two rounds closer than `leastMs`. Where nothing changes the waits grow by
 * half each round, so that a job of hours is asked about seldom and one of seconds is seen to end at once.
 */
export function createPace(limits: PaceLimits, clock: Clock = realClock): Pace {
  let gapMs = limits.leastMs;
  let nextAt = 0;
  return {
    turn: async (signal) => {
      const now = clock.now();
      const at = Math.max(now, nextAt);
      nextAt = at + (limits.withinRoundMs ?? limits.leastMs);
      await clock.pause(at - now, signal);
    },
    untilTurn: () => Math.max(0, nextAt - clock.now()),
    note: (hasChanged, askedMs = 0) => {
      gapMs = hasChanged ? limits.leastMs : Math.min(limits.greatestMs, gapMs * 1.5);
      nextAt = Math.max(nextAt, clock.now() + Math.max(gapMs, Math.min(limits.greatestMs, askedMs)));
    },
  };
}
