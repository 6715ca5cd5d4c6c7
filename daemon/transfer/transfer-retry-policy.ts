import { backoffDelayMs } from '../../src/shared/util/backoff.js';
import type { TransferError } from './transfer-error.js';

/** Decides whether and when a download is tried again. */
export interface TransferRetryPolicy {
  /** The last attempt brought bytes that no attempt had brought before. */
  recordProgress(): void;
  /** Milliseconds to wait before the next attempt; null when it is to be given up. */
  nextDelayMs(transferError: TransferError): number | null;
}

/** Options of a retry policy. */
export interface TransferRetryOptions {
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
const maxTotalTries = 100;
/** An unreachable host is told within 20 seconds (contract, section 9); one second is kept in hand. */
const connectLimitMs = 19_000;
/**
 * Without progress, a download is given up within ten stall timeouts (contract, section 9): nine from here, because the attempt that
 * stalled has waited for one already.
 */
const maxTotalStallTimeouts = 9;

/** Creates the retry policy of one download. Delays double, and respect `Retry-After` within the limits. */
export function createTransferRetryPolicy(options: TransferRetryOptions): TransferRetryPolicy {
  const { stallTimeoutMs, connectTimeoutMs, retryDelayMs, clock } = options;
  let progressAt = clock();
  let connectErrorsSince: number | null = null;
  let attemptStartedAt = progressAt;
  let failures = 0;
  let tries = 0;
  let hasReceived = false;
  return {
    recordProgress() {
      progressAt = clock();
      connectErrorsSince = null;
      failures = 0;
      hasReceived = true;
    },
    nextDelayMs({ kind, retryAfterMs }) {
      failures += 1;
      tries += 1;
      const now = clock();
      connectErrorsSince = kind === 'connect' ? (connectErrorsSince ?? attemptStartedAt) : null;
      if (kind === 'permanent' || tries >= maxTotalTries) return null;
      if (failures >= (kind === 'connect' && !hasReceived ? maxFirstConnects : maxTries)) return null;
      const ownDelayMs = backoffDelayMs(failures, { firstMs: retryDelayMs, maxMs: stallTimeoutMs });
      const delayMs = Math.max(retryAfterMs ?? 0, ownDelayMs);
      const nextAt = now + delayMs;
      if (nextAt + stallTimeoutMs > progressAt + maxTotalStallTimeouts * stallTimeoutMs) return null;
      if (connectErrorsSince !== null && nextAt + connectTimeoutMs > connectErrorsSince + connectLimitMs)
        return null;
      attemptStartedAt = nextAt;
      return delayMs;
    },
  };
}
