import { setTimeout as sleep } from 'node:timers/promises';
import { isVencError } from '../../src/shared/errors.js';
import { backoffDelayMs } from '../../src/shared/util/backoff.js';
import type { SsrfGuard } from '../net/ssrf-guard.js';
import type { Direction } from './disk-errors.js';
import { errorClassOf, type TransferError, transientError } from './transfer-error.js';

/** What every transfer over a network depends on. */
export interface RemoteOptions {
  readonly guard: SsrfGuard;
  /** How long nothing may move before an attempt is given up, in milliseconds. */
  readonly stallTimeoutMs: number;
  /** How long to wait before the first new attempt, in milliseconds; half a second where it is not given. */
  readonly retryDelayMs?: number;
}

/** Two attempts to connect, and what lies between, stay below the 20 seconds of the contract (section 9). */
const maxConnectTimeoutMs = 8_000;

/** How long one attempt to connect may take: shorter than a stall, so that each of the two is told as what it is. */
export function connectTimeoutOf({ stallTimeoutMs }: Pick<RemoteOptions, 'stallTimeoutMs'>): number {
  return Math.min(maxConnectTimeoutMs, stallTimeoutMs / 2);
}

/** One transfer that may take several attempts. */
export interface RetryableTransfer {
  /** Makes one: null when all is done, the trouble where another may be made. Rejects where none makes sense. */
  readonly attempt: () => Promise<TransferError | null>;
  /** The most bytes that any attempt has moved: a break after some that are new is forgiven more readily. */
  readonly highWaterMarkBytes: () => number;
  readonly signal: AbortSignal;
}

/** Attempts until it is done, with growing delays between. Rejects with the last trouble, or with the reason of the signal. */
export async function withRetry(
  transfer: RetryableTransfer,
  options: Omit<RemoteOptions, 'guard'>,
): Promise<void> {
  const retryPolicy = createTransferRetryPolicy({
    stallTimeoutMs: options.stallTimeoutMs,
    connectTimeoutMs: connectTimeoutOf(options),
    retryDelayMs: options.retryDelayMs ?? 500,
    clock: () => performance.now(),
  });
  for (;;) {
    const previousBytes = transfer.highWaterMarkBytes();
    const transferError = await transfer.attempt();
    if (transferError === null) return;
    if (transfer.highWaterMarkBytes() > previousBytes) retryPolicy.recordProgress();
    const delayMs = retryPolicy.nextDelayMs(transferError);
    if (delayMs === null) throw transferError.error;
    await sleep(delayMs, undefined, { signal: transfer.signal });
  }
}

/** What an attempt is watched with. */
export interface WatchdogOptions {
  /** The signal of the transfer. */
  readonly signal: AbortSignal;
  readonly stallTimeoutMs: number;
  readonly direction: Direction;
  /** A host with its port, to be named. */
  readonly host: string;
}

/** What an attempt works under: ended when the transfer is, or when nothing was alive for too long. */
export interface Watchdog {
  readonly signal: AbortSignal;
  /** To be called whenever something has moved. */
  readonly reportActivity: () => void;
}

/** Makes one attempt, and ends it with a passing trouble where nothing moves for the stall timeout. */
export async function withIdleTimeout(
  { signal, stallTimeoutMs, direction, host }: WatchdogOptions,
  work: (watchdog: Watchdog) => Promise<TransferError | null>,
): Promise<TransferError | null> {
  const idle = new AbortController();
  const timer = setTimeout(() => idle.abort(), stallTimeoutMs);
  try {
    return await work({
      signal: AbortSignal.any([signal, idle.signal]),
      reportActivity: () => timer.refresh(),
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!idle.signal.aborted || isVencError(error)) throw error;
    const message = direction === 'download' ? 'stopped sending' : 'stopped taking data';
    return transientError(errorClassOf('timeout', direction), `${host} ${message}.`);
  } finally {
    clearTimeout(timer);
  }
}

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
