import { setTimeout as sleep } from 'node:timers/promises';
import { isVencError } from '../../src/shared/errors.js';
import { inScope } from '../../src/shared/util/error-scope.js';
import { backoffDelayMs } from '../../src/shared/util/timing.js';
import type { SsrfGuard } from '../net/ssrf-guard.js';
import type { Direction } from './disk-errors.js';
import { errorClassOf, type TransferError, transientError } from './transfer-error.js';

/** Options of every transfer over a network. */
export interface RemoteOptions {
  readonly guard: SsrfGuard;
  /** How long an attempt may be idle before it is aborted, in milliseconds. */
  readonly stallTimeoutMs: number;
  /** Delay before the first retry, in milliseconds; 500 by default. */
  readonly retryDelayMs?: number;
  /** Called before the delay of each retry, for the log. */
  readonly onRetry?: OnRetry;
  /** Ends the cleanup at destinations, which is limited only by the stall timeout without it. */
  readonly cleanupEnd?: AbortSignal;
}

/** Receives why a transfer is retried, and after which delay. Must not throw. */
export type OnRetry = (error: unknown, delayMs: number) => void;

/**
 * Calls `cleanUp` with a signal for the cleanup after a transfer that failed or was aborted: it is aborted after the stall
 * timeout, or at `cleanupEnd`.
 */
export async function withCleanupLimit<T>(
  { stallTimeoutMs, cleanupEnd }: Pick<RemoteOptions, 'stallTimeoutMs' | 'cleanupEnd'>,
  cleanUp: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const end = () => limit.abort();
  const timer = setTimeout(inScope(end), stallTimeoutMs);
  cleanupEnd?.addEventListener('abort', end, { once: true });
  if (cleanupEnd?.aborted === true) end();
  try {
    return await cleanUp(limit.signal);
  } finally {
    clearTimeout(timer);
    cleanupEnd?.removeEventListener('abort', end);
  }
}

/** Two attempts to connect, with the delay between them, stay below the 20 seconds of the contract (section 9). */
const maxConnectTimeoutMs = 8_000;

/**
 * How long one attempt to connect may take. It is shorter than the stall timeout, so that the two are reported
 * correctly.
 */
export function connectTimeoutOf({ stallTimeoutMs }: Pick<RemoteOptions, 'stallTimeoutMs'>): number {
  return Math.min(maxConnectTimeoutMs, stallTimeoutMs / 2);
}

/** One transfer with retries. */
export interface RetryableTransfer {
  /**
   * Makes one attempt. Resolves to null when the transfer is complete, or to an error to retry. Rejects if retrying is
   * pointless.
   */
  readonly attempt: () => Promise<TransferError | null>;
  /** Maximum number of bytes that any attempt transferred. An attempt that exceeds it resets the count of failures. */
  readonly highWaterMarkBytes: () => number;
  readonly signal: AbortSignal;
}

/**
 * Retries a transfer with increasing delays until it is complete. Rejects with the last error, or with the reason of
 * the signal.
 */
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
    options.onRetry?.(transferError.error, delayMs);
    await sleep(delayMs, undefined, { signal: transfer.signal });
  }
}

/** Options of the idle timeout of an attempt. */
interface WatchdogOptions {
  /** The signal of the transfer. */
  readonly signal: AbortSignal;
  readonly stallTimeoutMs: number;
  readonly direction: Direction;
  /** Host with its port, for messages. */
  readonly host: string;
}

/** The signal of an attempt. It is aborted with the transfer, or when the attempt is idle for too long. */
export interface Watchdog {
  readonly signal: AbortSignal;
  /** Resets the idle timeout. Call it whenever data was transferred. */
  readonly reportActivity: () => void;
}

/** Makes one attempt. Aborts it with a transient error if it is idle for the stall timeout. */
export async function withIdleTimeout(
  { signal, stallTimeoutMs, direction, host }: WatchdogOptions,
  work: (watchdog: Watchdog) => Promise<TransferError | null>,
): Promise<TransferError | null> {
  const idle = new AbortController();
  const timer = setTimeout(
    inScope(() => idle.abort()),
    stallTimeoutMs,
  );
  let wasActive = false;
  try {
    return await work({
      signal: AbortSignal.any([signal, idle.signal]),
      reportActivity: () => {
        wasActive = true;
        timer.refresh();
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    if (!idle.signal.aborted || isVencError(error)) throw error;
    const stopped = direction === 'download' ? 'stopped sending' : 'stopped receiving data';
    const message = wasActive ? stopped : 'did not answer';
    return transientError(errorClassOf('timeout', direction), `${host} ${message}.`);
  } finally {
    clearTimeout(timer);
  }
}

/** Decides whether and when a transfer is retried. */
interface TransferRetryPolicy {
  /** Records that the last attempt transferred new bytes. */
  recordProgress(): void;
  /** Milliseconds to wait before the next attempt, or null to stop retrying. */
  nextDelayMs(transferError: TransferError): number | null;
}

/** Options of a retry policy. */
interface TransferRetryOptions {
  readonly stallTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** Delay before the first retry. It doubles with each further one. */
  readonly retryDelayMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly clock: () => number;
}

/** Maximum number of consecutive attempts without progress. */
const maxTries = 5;
/** Same, if connecting fails and nothing was ever received: the address is probably wrong. */
const maxFirstConnects = 3;
/** Maximum number of attempts in total, because a server may send a single byte per attempt. */
const maxTotalTries = 100;
/** An unreachable host is reported within 20 seconds (contract, section 9), minus a margin of one second. */
const connectLimitMs = 19_000;
/**
 * Without progress, a transfer fails within ten stall timeouts (contract, section 9). The limit here is nine, because
 * the attempt that stalled has already waited for one.
 */
const maxTotalStallTimeouts = 9;

/** Creates the retry policy of one transfer. Delays double, and respect `Retry-After` within the limits. */
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

/** Runs `work`, and calls `close` if the signal is aborted before or meanwhile. */
export async function closeOnAbort<Result>(
  signal: AbortSignal,
  close: () => void,
  work: () => Promise<Result>,
): Promise<Result> {
  signal.addEventListener('abort', close, { once: true });
  try {
    signal.throwIfAborted();
    return await work();
  } finally {
    signal.removeEventListener('abort', close);
  }
}
