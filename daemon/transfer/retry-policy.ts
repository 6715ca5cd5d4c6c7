import { backoffDelayMs } from '../../src/shared/util/backoff.js';
import type { Trouble } from './transfer-error.js';

/** Decides whether and when a download is tried again. */
export interface Patience {
  /** The last attempt brought bytes that no attempt had brought before. */
  progressed(): void;
  /** Milliseconds to wait before the next attempt; null when it is to be given up. */
  next(trouble: Trouble): number | null;
}

/** What patience depends on. */
export interface PatienceOptions {
  readonly stallTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** Delay before the second attempt; it doubles from there. */
  readonly retryDelayMs: number;
  /** A clock that only goes forward, in milliseconds. */
  readonly clock: () => number;
}

/** Attempts in a row without progress. */
const maxTries = 5;
/** Likewise, while there was no connection and nothing was ever received: most likely the address is wrong. */
const maxFirstConnects = 3;
/** A server may send a single byte an attempt: all of them together are limited too. */
const maxTriesAltogether = 100;
/** An unreachable host is told within 20 seconds (contract, section 9); one second is kept in hand. */
const connectLimitMs = 19_000;
/**
 * Without progress, a download is given up within ten stall timeouts (contract, section 9): nine from here, because the attempt that
 * stalled has waited for one already.
 */
const stallTimeoutsAltogether = 9;

/** Patience for one download. Delays double, and heed `Retry-After` within the limits. */
export function createPatience(options: PatienceOptions): Patience {
  const { stallTimeoutMs, connectTimeoutMs, retryDelayMs, clock } = options;
  let progressAt = clock();
  let connectTroubleSince: number | null = null;
  let attemptBeganAt = progressAt;
  let failures = 0;
  let tries = 0;
  let hasReceived = false;
  return {
    progressed() {
      progressAt = clock();
      connectTroubleSince = null;
      failures = 0;
      hasReceived = true;
    },
    next({ kind, retryAfterMs }) {
      failures += 1;
      tries += 1;
      const now = clock();
      connectTroubleSince = kind === 'connect' ? (connectTroubleSince ?? attemptBeganAt) : null;
      if (kind === 'final' || tries >= maxTriesAltogether) return null;
      if (failures >= (kind === 'connect' && !hasReceived ? maxFirstConnects : maxTries)) return null;
      const ownDelayMs = backoffDelayMs(failures, { firstMs: retryDelayMs, maxMs: stallTimeoutMs });
      const delayMs = Math.max(retryAfterMs ?? 0, ownDelayMs);
      const nextAt = now + delayMs;
      if (nextAt + stallTimeoutMs > progressAt + stallTimeoutsAltogether * stallTimeoutMs) return null;
      if (connectTroubleSince !== null && nextAt + connectTimeoutMs > connectTroubleSince + connectLimitMs)
        return null;
      attemptBeganAt = nextAt;
      return delayMs;
    },
  };
}
