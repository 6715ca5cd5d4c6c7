import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffDelayMs } from '../../../src/shared/util/backoff.js';
import type { TransferError } from '../../transfer/transfer-error.js';
import type { RangeScheduler, TransferRange } from './range-scheduler.js';

/** How the bringing of a stretch ended. */
export type FetchResult =
  | { readonly type: 'done' }
  | { readonly type: 'changed' }
  | { readonly type: 'unsound' }
  | {
      readonly type: 'trouble';
      readonly transferError: TransferError;
      /** Whether a server said no, for now or for good. */
      readonly isRejection: boolean;
    };

/** What a crew works with. */
export interface ConnectionPoolOptions {
  readonly signal: AbortSignal;
  readonly retryDelayMs: number;
  readonly maxDelayMs: number;
  /** How long the rest must take, in seconds, and how large it must be, for more than one connection. */
  readonly splitThresholdSeconds: number;
  readonly minRangeBytes: number;
  /** How the file is divided; null before it was answered for. */
  readonly scheduler: () => RangeScheduler | null;
  /** How many connections there may be now. */
  readonly limit: () => number;
  readonly lowerLimit: (limit: number) => void;
  /** Whether the server was seen to give parts. */
  readonly isRangeSupportConfirmed: () => boolean;
  /** Brings a stretch and releases it; null for all of a file of which nothing is known yet. */
  readonly fetch: (range: TransferRange | null, signal: AbortSignal) => Promise<FetchResult>;
  /** Nothing that came is of use. */
  readonly invalidate: (reason: 'changed' | 'unsound') => TransferError;
  /** The server is not to be asked for parts any more. */
  readonly disableRanges: () => void;
}

type FailedFetch = Extract<FetchResult, { type: 'trouble' }>;

/** How often it is looked whether another connection is worth it, in milliseconds. */
const pollIntervalMs = 50;
/** Failures in a row without a byte, after which a connection is left alone as long as there are others. */
const maxFailures = 3;

/**
 * Brings a file over one connection, and over more where the rest would take long: first one that proves that the server gives
 * parts, then as many as there may be. A connection that fails leaves its part to the others and tries again; one that is refused makes
 * them fewer. Null when the file is whole; the last trouble where no connection is left that brings anything. All is settled then.
 */
export function runConnectionPool(options: ConnectionPoolOptions): Promise<TransferError | null> {
  return new ConnectionPool(options).run();
}

class ConnectionPool {
  readonly #stopped = new AbortController();
  readonly #signal: AbortSignal;
  readonly #workers = new Set<Promise<void>>();
  #busyCount = 0;
  #spawnedCount = 0;
  #result: TransferError | null = null;
  #failure: { readonly error: unknown } | null = null;

  constructor(private readonly options: ConnectionPoolOptions) {
    this.#signal = AbortSignal.any([options.signal, this.#stopped.signal]);
    // Each of up to 25 connections may wait: Node takes more than ten for a leak.
    setMaxListeners(0, this.#signal);
  }

  async run(): Promise<TransferError | null> {
    this.#spawnWorker();
    const timer = setInterval(() => this.#adjustWorkers(), pollIntervalMs);
    try {
      while (this.#workers.size > 0) await Promise.all(this.#workers);
    } finally {
      clearInterval(timer);
    }
    if (this.#failure !== null) throw this.#failure.error;
    return this.#result;
  }

  #spawnWorker(): void {
    this.#spawnedCount += 1;
    const worker = this.#runWorker()
      .catch((error: unknown) => {
        if (this.#stopped.signal.aborted) return;
        this.#failure = { error };
        this.#stopped.abort();
      })
      .finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
  }

  /** Hires where it is worth it. */
  #adjustWorkers(): void {
    const { scheduler, limit, isRangeSupportConfirmed, minRangeBytes, splitThresholdSeconds } = this.options;
    const ranges = scheduler();
    if (ranges === null || this.#stopped.signal.aborted || this.#workers.size >= limit()) return;
    if (!ranges.isSplit) {
      if (ranges.remainingBytes < 2 * minRangeBytes || ranges.secondsLeft < splitThresholdSeconds) return;
      ranges.split();
      this.#spawnWorker();
    }
    if (!isRangeSupportConfirmed()) return;
    while (this.#workers.size < limit()) this.#spawnWorker();
  }

  async #runWorker(): Promise<void> {
    const { scheduler, fetch } = this.options;
    let failures = 0;
    let speed: number | null = null;
    let hasReceived = false;
    while (!this.#signal.aborted) {
      const ranges = scheduler();
      if (ranges?.isComplete === true) return this.#finish(null);
      const range: TransferRange | null = ranges?.next(speed) ?? null;
      if (ranges !== null && range === null) {
        // Another connection has the last part: it may fail yet, or turn out to be slow.
        await sleep(pollIntervalMs, undefined, { signal: this.#signal });
        continue;
      }
      const from = range?.position ?? 0;
      const startedAt = performance.now();
      this.#busyCount += 1;
      const result: FetchResult = await fetch(range, this.#signal).finally(() => {
        this.#busyCount -= 1;
      });
      const receivedBytes: number = (range?.position ?? 0) - from;
      const hasProgressed = receivedBytes > 0;
      if (hasProgressed) speed = receivedBytes / ((performance.now() - startedAt) / 1_000);
      hasReceived ||= hasProgressed || result.type === 'done';
      if (result.type === 'done') failures = 0;
      else if (result.type !== 'trouble') {
        if (!this.#continueWithoutRanges(result.type)) this.#finish(this.options.invalidate(result.type));
        return;
      } else {
        failures = hasProgressed ? 1 : failures + 1;
        if (this.#busyCount === 0) return this.#finish(this.#asTransient(result));
        if (this.#shouldStopWorker(result.isRejection, hasReceived, failures)) return;
        await this.#backOff(result.transferError, failures);
      }
    }
  }

  /** Whether a server without parts can bring all of it over the connection that there was first. */
  #continueWithoutRanges(reason: 'changed' | 'unsound'): boolean {
    const { scheduler, isRangeSupportConfirmed, disableRanges } = this.options;
    if (reason !== 'unsound' || isRangeSupportConfirmed() || this.#busyCount !== 1) return false;
    disableRanges();
    return scheduler()?.merge() === true;
  }

  /** Whether a connection that failed is not tried again as long as there are others. */
  #shouldStopWorker(isRejection: boolean, hasReceived: boolean, failures: number): boolean {
    const { isRangeSupportConfirmed, lowerLimit, scheduler } = this.options;
    const isRejected = isRejection && !hasReceived;
    if (!isRejected && failures < maxFailures) return false;
    if (isRejection || !isRangeSupportConfirmed()) lowerLimit(this.#workers.size - 1);
    if (!isRangeSupportConfirmed()) scheduler()?.merge();
    return true;
  }

  /** What is refused for good to one of several connections may yet be given to a single one. */
  #asTransient({ transferError, isRejection }: FailedFetch): TransferError {
    if (!isRejection || transferError.kind !== 'final' || this.#spawnedCount < 2) return transferError;
    this.options.lowerLimit(1);
    return { ...transferError, kind: 'passing' };
  }

  async #backOff({ retryAfterMs }: TransferError, failures: number): Promise<void> {
    const { retryDelayMs, maxDelayMs } = this.options;
    const ms = Math.min(
      Math.max(retryAfterMs ?? 0, backoffDelayMs(failures, { firstMs: retryDelayMs, maxMs: maxDelayMs })),
      maxDelayMs,
    );
    await sleep(ms, undefined, { signal: this.#signal });
  }

  #finish(result: TransferError | null): void {
    if (this.#stopped.signal.aborted) return;
    this.#result = result;
    this.#stopped.abort();
  }
}
