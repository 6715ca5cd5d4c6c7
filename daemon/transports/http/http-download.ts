import { dirname } from 'node:path';
import { mapLocalDiskError, outOfSpaceError } from '../../transfer/disk-errors.js';
import { freeBytes } from '../../transfer/folders.js';
import type { PartialFile } from '../../transfer/partial-file.js';
import type { ProgressReporter } from '../../transfer/progress-reporter.js';
import { type TransferError, transientError } from '../../transfer/transfer-error.js';
import { type Watchdog, withIdleTimeout } from '../../transfer/with-retry.js';
import { type ConnectionPoolOptions, type FetchResult, runConnectionPool } from './connection-pool.js';
import type { GuardedAgent } from './guarded-agent.js';
import type { KnownFile } from './parse-response.js';
import { RangeScheduler, type TransferRange } from './range-scheduler.js';
import { type FileResponse, type HttpTarget, requestFile } from './request-file.js';
import { type BodyResponse, streamBody } from './stream-body.js';

/** What a download works with. */
export interface HttpDownloadOptions {
  readonly agent: GuardedAgent;
  readonly target: HttpTarget;
  readonly partialFile: PartialFile;
  /** Where the file is to stand: its volume must have room. */
  readonly toPath: string;
  readonly progress: ProgressReporter;
  readonly stallTimeoutMs: number;
  readonly retryDelayMs: number;
  readonly connections: number;
  readonly thresholds: RangeThresholds;
  readonly signal: AbortSignal;
}

/** When a file is brought over several connections. */
export interface RangeThresholds {
  /** No connection is opened for less than this, in bytes. */
  readonly minRangeBytes: number;
  /** How long the rest must take with the one connection there is, in seconds. */
  readonly splitThresholdSeconds: number;
}

/** A file as it was first answered for, and how far it is. */
interface DownloadState {
  readonly known: KnownFile;
  readonly scheduler: RangeScheduler;
}

/** How many bytes count as a step forward (see `stream-body.ts`). */
const reportStepBytes = 1024;
/** A file that seems to change this often is rather told differently by several servers behind one name: it comes over one connection. */
const maxChanges = 2;

/** One download, as far as it has come: each attempt goes on where the one before broke off. */
export class HttpDownload {
  /** Null where nothing may be built upon what has come. */
  #state: DownloadState | null = null;
  #resolved: HttpTarget | null = null;
  #maxConnections: number;
  #rangeSupport: 'yes' | 'no' | 'unknown' = 'unknown';
  #changeCount = 0;
  #highWaterMarkBytes = 0;

  constructor(private readonly options: HttpDownloadOptions) {
    this.#maxConnections = options.connections;
  }

  /** The most bytes that any attempt has brought, in steps that are worth the name. */
  get highWaterMarkBytes(): number {
    return this.#highWaterMarkBytes - (this.#highWaterMarkBytes % reportStepBytes);
  }

  /**
   * Makes one attempt to get what is missing. Null when the file is whole; the trouble where another attempt may be made. Rejects where
   * the disk fails, and with the reason of the signal.
   */
  async attempt(): Promise<TransferError | null> {
    if (this.#state?.known.validator == null) this.#state = null;
    return withIdleTimeout(this.#watchdogOptions(this.options.signal), (watchdog) =>
      runConnectionPool(this.#poolOptions(watchdog)),
    );
  }

  #watchdogOptions(signal: AbortSignal) {
    const { target, stallTimeoutMs } = this.options;
    const { host } = (this.#resolved ?? target).url;
    return { signal, stallTimeoutMs, direction: 'download', host } as const;
  }

  #poolOptions(watchdog: Watchdog): ConnectionPoolOptions {
    const { retryDelayMs, stallTimeoutMs, thresholds } = this.options;
    return {
      signal: watchdog.signal,
      retryDelayMs,
      maxDelayMs: stallTimeoutMs,
      splitThresholdSeconds: thresholds.splitThresholdSeconds,
      minRangeBytes: thresholds.minRangeBytes,
      scheduler: () => this.#state?.scheduler ?? null,
      limit: () => (this.#maySplit ? this.#maxConnections : 1),
      lowerLimit: (limit) => {
        this.#maxConnections = Math.max(1, limit);
      },
      isRangeSupportConfirmed: () => this.#rangeSupport === 'yes',
      fetch: (range, signal) => this.#fetch(range, signal, watchdog.reportActivity),
      invalidate: (reason) => this.#invalidate(reason),
      disableRanges: () => {
        this.#rangeSupport = 'no';
      },
    };
  }

  get #maySplit(): boolean {
    const known = this.#state?.known;
    return this.#rangeSupport !== 'no' && known?.validator != null && known.totalBytes !== null;
  }

  /** Brings a stretch, or all of a file of which nothing is known yet. */
  async #fetch(
    assignedRange: TransferRange | null,
    signal: AbortSignal,
    reportPoolActivity: () => void,
  ): Promise<FetchResult> {
    const rangeSignal = assignedRange === null ? signal : AbortSignal.any([signal, assignedRange.stolen]);
    const outcome: { result: FetchResult | null } = { result: null };
    const transferError = await withIdleTimeout(
      this.#watchdogOptions(rangeSignal),
      async ({ signal: watchdog, reportActivity }) => {
        const isFirst = assignedRange === null || this.#state?.scheduler.isSplit !== true;
        const onResponse = (): void => {
          reportActivity();
          // Of several connections only bytes count: they could go on answering for ever.
          if (isFirst) reportPoolActivity();
        };
        const onBytes = (): void => {
          reportActivity();
          reportPoolActivity();
        };
        const response = await this.#request(assignedRange, { signal: watchdog, reportActivity: onResponse });
        outcome.result = await this.#handleResponse(response, assignedRange, {
          signal: watchdog,
          reportActivity: onBytes,
        });
        return null;
      },
    )
      .catch((error: unknown) => {
        if (assignedRange?.stolen.aborted === true && !signal.aborted) return null;
        throw error;
      })
      .finally(() => {
        if (assignedRange !== null) this.#state?.scheduler.release(assignedRange);
      });
    if (transferError !== null) return { type: 'trouble', transferError, isRejection: false };
    return outcome.result ?? { type: 'done' };
  }

  async #request(range: TransferRange | null, watchdog: Watchdog): Promise<FileResponse> {
    const { agent, target } = this.options;
    const known = this.#state?.known ?? null;
    const isToEnd = range === null || range.end === known?.totalBytes || !Number.isFinite(range.end);
    const request = { fromByte: range?.position ?? 0, toByte: isToEnd ? null : range.end, known };
    const resolved = this.#resolved;
    const response = await requestFile(agent, target, request, { ...watchdog, resolved });
    if (response.type === 'body') this.#resolved = response.target;
    const isPermanent =
      response.type === 'trouble' && response.isRejection && response.transferError.kind === 'final';
    if (!isPermanent || resolved === null || resolved === target) return response;
    // An address that was good for a while only: where the first one leads to now may be good again.
    this.#resolved = null;
    const retried = await requestFile(agent, target, request, watchdog);
    if (retried.type === 'body') this.#resolved = retried.target;
    return retried;
  }

  async #handleResponse(
    response: FileResponse,
    assignedRange: TransferRange | null,
    watchdog: Watchdog,
  ): Promise<FetchResult> {
    if (response.type !== 'body') return response;
    if (assignedRange !== null && response.fromByte !== assignedRange.position)
      return this.#restartFromBody(response, watchdog);
    if (assignedRange === null)
      return this.#streamInto(response, this.#startRanges(response), this.#prepareFile(response), watchdog);
    if (this.#state?.scheduler.isSplit) this.#rangeSupport = 'yes';
    return this.#streamInto(response, assignedRange, Promise.resolve(), watchdog);
  }

  /** All of the file came where a part was asked for: it is another file, or a server that has no parts to give. */
  async #restartFromBody(response: BodyResponse, watchdog: Watchdog): Promise<FetchResult> {
    const state = this.#state;
    const isSame =
      response.file.validator === state?.known.validator &&
      response.file.totalBytes === state?.known.totalBytes;
    if (state?.scheduler.isSplit) {
      response.body.destroy();
      return { type: isSame ? 'unsound' : 'changed' };
    }
    // Over one connection it is as good: it is begun anew with what is here.
    return this.#streamInto(response, this.#startRanges(response), this.#prepareFile(response), watchdog);
  }

  /** Takes an answer for the file that is brought from now on. */
  #startRanges({ file }: BodyResponse): TransferRange {
    const { connections, thresholds } = this.options;
    const totalBytes = file.totalBytes ?? 0;
    const rangeBytes = rangeBytesFor(totalBytes, connections, thresholds.minRangeBytes);
    const scheduler = new RangeScheduler(file.totalBytes, {
      rangeBytes,
      minRangeBytes: thresholds.minRangeBytes,
    });
    this.#state = { known: file, scheduler };
    return scheduler.next() ?? scheduler.emptyRange();
  }

  async #streamInto(
    response: BodyResponse,
    range: TransferRange,
    ready: Promise<void>,
    watchdog: Watchdog,
  ): Promise<FetchResult> {
    const { partialFile, progress } = this.options;
    const state = this.#state;
    if (state === null) throw new TypeError('nothing is known of the file');
    const { scheduler, known } = state;
    const result = await streamBody(response, {
      range,
      ready,
      advance: (bytes) => scheduler.advance(range, bytes),
      write: async (chunks, position) => {
        await partialFile.writeAt(chunks, position);
        this.#highWaterMarkBytes = Math.max(this.#highWaterMarkBytes, partialFile.sizeBytes);
        progress.update(partialFile.sizeBytes, known.totalBytes);
      },
      watchdog,
    })
      .then((outcome) => {
        if (outcome === null && known.totalBytes === null) scheduler.truncate(range);
        return outcome;
      })
      .finally(() => scheduler.release(range));
    if (result === 'unsound') return { type: 'unsound' };
    return result === null
      ? { type: 'done' }
      : { type: 'trouble', transferError: result, isRejection: false };
  }

  async #prepareFile({ file }: BodyResponse): Promise<void> {
    const { partialFile, toPath } = this.options;
    try {
      if (partialFile.sizeBytes > 0) await partialFile.reset();
      if (file.totalBytes !== null && file.totalBytes > (await freeBytes(dirname(toPath))))
        throw outOfSpaceError();
      if (file.totalBytes !== null) partialFile.expectSize(file.totalBytes);
    } catch (error) {
      throw mapLocalDiskError(error, 'download');
    }
  }

  #invalidate(reason: 'changed' | 'unsound'): TransferError {
    const { host } = this.options.target.url;
    this.#state = null;
    this.#changeCount += 1;
    if (reason === 'unsound' || this.#changeCount >= maxChanges) this.#rangeSupport = 'no';
    const message =
      reason === 'changed'
        ? `${host} changed the file while it was sent.`
        : `${host} sent other parts of the file than it was asked for.`;
    return transientError('DownloadFailureError', message);
  }
}

const mebibyte = 1 << 20;

/**
 * Large enough that the time between two requests does not count, small enough that the file is summed not far behind what
 * comes; a small file is shared out at once.
 */
function rangeBytesFor(totalBytes: number, connections: number, minRangeBytes: number): number {
  const quarter = Math.min(Math.max(totalBytes / (connections * 4), 4 * mebibyte), 64 * mebibyte);
  return Math.max(minRangeBytes, Math.ceil(Math.min(quarter, totalBytes / connections)));
}
