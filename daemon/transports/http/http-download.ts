import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { inScope } from '../../../src/shared/util/error-scope.js';
import { backoffDelayMs } from '../../../src/shared/util/timing.js';
import { SocketBuffers } from '../../net/socket-buffers.js';
import type { ContentEncoding } from '../../transfer/decode-file.js';
import { type TransferError, transientError } from '../../transfer/transfer-error.js';
import { type Watchdog, withIdleTimeout } from '../../transfer/with-retry.js';
import { ConnectionCount } from './connection-count.js';
import {
  type DownloadState,
  type FetchResult,
  fetchRange,
  type HttpDownloadOptions,
  type InvalidReason,
  reportIntervalBytes,
  watchdogOptionsOf,
} from './fetch-range.js';
import type { RangeScheduler, TransferRange } from './range-scheduler.js';
import type { FailedFetch, FileSource } from './request-range.js';

/** One attempt and its workers. Each worker downloads ranges over one connection at a time. */
interface Attempt {
  /** Aborts when the attempt has its result or when nothing moves. */
  readonly signal: AbortSignal;
  readonly stopped: AbortController;
  readonly reportActivity: () => void;
  readonly workers: Set<Promise<void>>;
  /** Finds out whether all of them are useful. */
  readonly connectionCount: ConnectionCount;
  /** Workers that have not left because one connection is enough. */
  stayingCount: number;
  busyCount: number;
  spawnedCount: number;
  result: TransferError | null;
  failure: { readonly error: unknown } | null;
}

/** How often the number of workers is adjusted, in milliseconds. */
const pollIntervalMs = 50;
/** After this many failures in a row without a byte, a worker stops if there are others. */
const maxFailures = 3;
/**
 * A file that seems to change this often is more likely served by several servers that differ: it is downloaded over
 * one connection.
 */
const maxChanges = 2;

/**
 * One download. Each attempt continues where the one before broke off. An attempt begins with one connection. If the
 * rest would take long, a second one proves that the server supports ranges, and then as many are opened as allowed; all
 * but one are closed again if they gain nothing. A
 * worker whose connection fails returns its range to the others and retries; a worker whose request is rejected lowers
 * the number of connections.
 */
export class HttpDownload {
  readonly #state: DownloadState;
  #maxConnections: number;
  #changeCount = 0;

  constructor(
    source: Omit<FileSource, 'resolved' | 'buffers'>,
    private readonly options: HttpDownloadOptions,
  ) {
    this.#state = {
      options,
      source: { ...source, buffers: new SocketBuffers(), resolved: null },
      file: null,
      rangeSupport: 'unknown',
      highWaterMarkBytes: 0,
    };
    this.#maxConnections = options.connections;
  }

  /** The most bytes that any attempt has received, rounded down so that a trickle does not count as progress. */
  get highWaterMarkBytes(): number {
    return this.#state.highWaterMarkBytes - (this.#state.highWaterMarkBytes % reportIntervalBytes);
  }

  /** How the received bytes are compressed; null if they are not. */
  get encoding(): ContentEncoding | null {
    return this.#state.file?.known.encoding ?? null;
  }

  /**
   * Makes one attempt to download what is missing. Resolves when all workers have ended: with null if the file is
   * complete, else with the error of the last worker. Rejects if the disk fails, and with the reason of the signal.
   */
  async attempt(): Promise<TransferError | null> {
    if (this.#state.file?.known.validator == null) this.#state.file = null;
    return withIdleTimeout(watchdogOptionsOf(this.#state, this.options.signal), (watchdog) =>
      this.#runWorkers(watchdog),
    );
  }

  async #runWorkers({ signal, reportActivity }: Watchdog): Promise<TransferError | null> {
    const stopped = new AbortController();
    const attempt: Attempt = {
      signal: AbortSignal.any([signal, stopped.signal]),
      ...{ stopped, reportActivity, workers: new Set() },
      connectionCount: new ConnectionCount(),
      ...{ stayingCount: 0, busyCount: 0, spawnedCount: 0, result: null, failure: null },
    };
    // Each of up to 25 workers may wait: Node warns of a leak above ten listeners.
    setMaxListeners(0, attempt.signal);
    this.#spawnWorker(attempt);
    const timer = setInterval(
      inScope(() => this.#adjustWorkers(attempt)),
      pollIntervalMs,
    );
    try {
      while (attempt.workers.size > 0) await Promise.all(attempt.workers);
    } finally {
      clearInterval(timer);
    }
    if (attempt.failure !== null) throw attempt.failure.error;
    return attempt.result;
  }

  #spawnWorker(attempt: Attempt): void {
    attempt.spawnedCount += 1;
    attempt.stayingCount += 1;
    const worker: Promise<void> = this.#runWorker(attempt)
      .catch((error: unknown) => {
        if (attempt.stopped.signal.aborted) return 'ended';
        attempt.failure = { error };
        attempt.stopped.abort();
        return 'ended';
      })
      .then((how) => {
        attempt.workers.delete(worker);
        if (how === 'ended') attempt.stayingCount -= 1;
      });
    attempt.workers.add(worker);
  }

  /** Spawns workers if they would make the download faster. */
  #adjustWorkers(attempt: Attempt): void {
    const { partialFile, thresholds } = this.options;
    const { minRangeBytes, splitThresholdSeconds } = thresholds;
    const ranges = this.#state.file?.scheduler ?? null;
    attempt.connectionCount.observe(attempt.workers.size, partialFile.sizeBytes);
    const limit = Math.min(this.#connectionLimit, attempt.connectionCount.limit);
    if (ranges === null || attempt.stopped.signal.aborted || attempt.workers.size >= limit) return;
    if (!ranges.isSplit) {
      if (ranges.remainingBytes < 2 * minRangeBytes || ranges.secondsLeft < splitThresholdSeconds) return;
      ranges.split();
      this.#spawnWorker(attempt);
    }
    if (this.#state.rangeSupport !== 'yes') return;
    while (attempt.workers.size < limit) this.#spawnWorker(attempt);
  }

  get #connectionLimit(): number {
    const known = this.#state.file?.known;
    const maySplit =
      this.#state.rangeSupport !== 'no' && known?.validator != null && known.totalBytes !== null;
    return maySplit ? this.#maxConnections : 1;
  }

  /** Resolves to `left` if the worker left because fewer connections are as fast. */
  async #runWorker(attempt: Attempt): Promise<'ended' | 'left'> {
    let failures = 0;
    let speed: number | null = null;
    let hasReceived = false;
    while (!attempt.signal.aborted) {
      const ranges: RangeScheduler | null = this.#state.file?.scheduler ?? null;
      if (ranges?.isComplete === true) {
        finish(attempt, null);
        break;
      }
      if (attempt.stayingCount > attempt.connectionCount.limit) {
        attempt.stayingCount -= 1;
        return 'left';
      }
      const range: TransferRange | null = ranges?.next(speed) ?? null;
      if (ranges !== null && range === null) {
        // Another worker has the last range: it may still fail, or turn out to be slow.
        await sleep(pollIntervalMs, undefined, { signal: attempt.signal });
        continue;
      }
      const from = range?.position ?? 0;
      const startedAt = performance.now();
      attempt.busyCount += 1;
      const result: FetchResult = await fetchRange(this.#state, range, attempt).finally(() => {
        attempt.busyCount -= 1;
      });
      const receivedBytes: number = (range?.position ?? 0) - from;
      const hasProgressed = receivedBytes > 0;
      if (hasProgressed) speed = receivedBytes / ((performance.now() - startedAt) / 1_000);
      hasReceived ||= hasProgressed || result.type === 'done';
      if (result.type === 'done') failures = 0;
      else if (result.type !== 'failed') {
        if (!this.#continueWithoutRanges(result.type, attempt))
          finish(attempt, this.#invalidate(result.type));
        break;
      } else {
        failures = hasProgressed ? 1 : failures + 1;
        if (attempt.busyCount === 0) {
          finish(attempt, this.#asTransient(result, attempt));
          break;
        }
        if (this.#shouldStopWorker(attempt, result.isRejection && !hasReceived, result.isRejection, failures))
          break;
        await this.#backOff(result.transferError, failures, attempt.signal);
      }
    }
    return 'ended';
  }

  /** Discards the state of a download whose received bytes cannot be used. */
  #invalidate(reason: InvalidReason): TransferError {
    const { host } = this.#state.source.target.url;
    this.#state.file = null;
    this.#changeCount += 1;
    if (reason === 'wrong-range' || this.#changeCount >= maxChanges) this.#state.rangeSupport = 'no';
    const message =
      reason === 'changed'
        ? 'changed the file during the download'
        : 'sent other bytes of the file than requested';
    return transientError('DownloadFailureError', `${host} ${message}.`);
  }

  /** Whether the first connection can download the whole file from a server without range support. */
  #continueWithoutRanges(reason: InvalidReason, attempt: Attempt): boolean {
    if (reason !== 'wrong-range' || this.#state.rangeSupport === 'yes' || attempt.busyCount !== 1)
      return false;
    this.#state.rangeSupport = 'no';
    return this.#state.file?.scheduler.merge() === true;
  }

  /**
   * Whether a worker that failed leaves its ranges to the other workers. `isRejected`: the server has rejected its
   * every request.
   */
  #shouldStopWorker(attempt: Attempt, isRejected: boolean, isRejection: boolean, failures: number): boolean {
    if (!isRejected && failures < maxFailures) return false;
    const isConfirmed = this.#state.rangeSupport === 'yes';
    if (isRejection || !isConfirmed) this.#maxConnections = Math.max(1, attempt.workers.size - 1);
    if (!isConfirmed) this.#state.file?.scheduler.merge();
    return true;
  }

  /** A permanent rejection of one of several connections is transient: the server may accept a single one. */
  #asTransient({ transferError, isRejection }: FailedFetch, attempt: Attempt): TransferError {
    if (!isRejection || transferError.kind !== 'permanent' || attempt.spawnedCount < 2) return transferError;
    this.#maxConnections = 1;
    return { ...transferError, kind: 'transient' };
  }

  async #backOff({ retryAfterMs }: TransferError, failures: number, signal: AbortSignal): Promise<void> {
    const { retryDelayMs, stallTimeoutMs } = this.options;
    const delayMs = backoffDelayMs(failures, { firstMs: retryDelayMs, maxMs: stallTimeoutMs });
    const ms = Math.min(Math.max(retryAfterMs ?? 0, delayMs), stallTimeoutMs);
    await sleep(ms, undefined, { signal });
  }
}

function finish(attempt: Attempt, result: TransferError | null): void {
  if (attempt.stopped.signal.aborted) return;
  attempt.result = result;
  attempt.stopped.abort();
}
