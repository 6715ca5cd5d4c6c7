import { dirname } from 'node:path';
import { isVencError } from '../../../src/shared/errors.js';
import { freeBytes } from '../../../src/shared/util/disk.js';
import { drainInBatches, firstBytes, totalByteLength } from '../../transfer/chunks.js';
import { mapLocalDiskError, outOfSpaceError } from '../../transfer/disk-errors.js';
import type { PartialFile } from '../../transfer/partial-file.js';
import type { ProgressReporter } from '../../transfer/transfer.js';
import { mapConnectionError, type TransferError, transientError } from '../../transfer/transfer-error.js';
import { type Watchdog, withIdleTimeout } from '../../transfer/with-retry.js';
import type { KnownFile } from './parse-response.js';
import {
  RangeScheduler,
  type RangeThresholds,
  rangeBytesFor,
  type TransferRange,
} from './range-scheduler.js';
import {
  type BodyResponse,
  type FailedFetch,
  type FileResponse,
  type FileSource,
  requestRange,
} from './request-range.js';

/** What a download needs. */
export interface HttpDownloadOptions {
  readonly partialFile: PartialFile;
  /** Where the file is moved when it is complete: its volume must have space. */
  readonly toPath: string;
  readonly progress: ProgressReporter;
  readonly stallTimeoutMs: number;
  readonly retryDelayMs: number;
  readonly connections: number;
  readonly thresholds: RangeThresholds;
  readonly signal: AbortSignal;
}

/** What is known about a download and how far it is. `HttpDownload` owns it; fetching a range updates it. */
export interface DownloadState {
  readonly options: HttpDownloadOptions;
  readonly source: FileSource;
  /**
   * The file as the first response described it, and the ranges that are missing; null if nothing received so far can
   * be continued.
   */
  file: { readonly known: KnownFile; readonly scheduler: RangeScheduler } | null;
  /** Whether the server was seen to support ranges. */
  rangeSupport: 'yes' | 'no' | 'unknown';
  highWaterMarkBytes: number;
}

/**
 * How fetching one range ended: `changed` if the file is another one now, `wrong-range` if other bytes came than
 * requested.
 */
export type FetchResult = { readonly type: 'done' | InvalidReason } | FailedFetch;

/** Why the received bytes cannot be used. */
export type InvalidReason = 'changed' | 'wrong-range';

/** Fetches a range and releases it; the whole file if nothing is known about it yet (null). */
export async function fetchRange(
  state: DownloadState,
  range: TransferRange | null,
  attempt: Watchdog,
): Promise<FetchResult> {
  const { signal } = attempt;
  const outcome: { result: FetchResult } = { result: { type: 'done' } };
  const rangeSignal = range === null ? signal : AbortSignal.any([signal, range.stolen]);
  const transferError = await withIdleTimeout(watchdogOptionsOf(state, rangeSignal), async (watchdog) => {
    const isFirst = range === null || state.file?.scheduler.isSplit !== true;
    const onResponse = (): void => {
      watchdog.reportActivity();
      // With several connections only bytes count: a server could respond for ever without sending any.
      if (isFirst) attempt.reportActivity();
    };
    const onBytes = (): void => {
      watchdog.reportActivity();
      attempt.reportActivity();
    };
    const response = await request(state, range, { signal: watchdog.signal, reportActivity: onResponse });
    outcome.result = await receive(state, response, range, {
      signal: watchdog.signal,
      reportActivity: onBytes,
    });
    return null;
  })
    .catch((error: unknown) => {
      if (range?.stolen.aborted === true && !signal.aborted) return null;
      throw error;
    })
    .finally(() => {
      if (range !== null) state.file?.scheduler.release(range);
    });
  return transferError === null ? outcome.result : { type: 'failed', transferError, isRejection: false };
}

/** The options to watch an attempt, or one range of it. */
export function watchdogOptionsOf({ options, source }: DownloadState, signal: AbortSignal) {
  const { host } = (source.resolved ?? source.target).url;
  return { signal, stallTimeoutMs: options.stallTimeoutMs, direction: 'download', host } as const;
}

function request(
  state: DownloadState,
  range: TransferRange | null,
  watchdog: Watchdog,
): Promise<FileResponse> {
  const known = state.file?.known ?? null;
  const isToEnd = range === null || range.end === known?.totalBytes || !Number.isFinite(range.end);
  const rangeRequest = { fromByte: range?.position ?? 0, toByte: isToEnd ? null : range.end, known };
  return requestRange(state.source, rangeRequest, watchdog);
}

async function receive(
  state: DownloadState,
  response: FileResponse,
  range: TransferRange | null,
  watchdog: Watchdog,
): Promise<FetchResult> {
  if (response.type !== 'body') return response;
  const isSplit = state.file?.scheduler.isSplit === true;
  if (range !== null && response.fromByte === range.position) {
    if (isSplit) state.rangeSupport = 'yes';
    return streamInto(state, response, range, Promise.resolve(), watchdog);
  }
  if (range !== null && isSplit) {
    // The whole file came instead of a range: the file has changed, or the server does not support ranges.
    const { validator, totalBytes } = state.file?.known ?? {};
    const isSame = response.file.validator === validator && response.file.totalBytes === totalBytes;
    response.body.destroy();
    return { type: isSame ? 'wrong-range' : 'changed' };
  }
  // The whole file comes over the only connection: the download starts over with this response.
  const { partialFile, toPath } = state.options;
  const whole = startRanges(state, response.file);
  return streamInto(state, response, whole, preparePartialFile(partialFile, toPath, response.file), watchdog);
}

/** Begins the download of the file that a response describes. */
function startRanges(state: DownloadState, file: KnownFile): TransferRange {
  const { connections, thresholds } = state.options;
  const { minRangeBytes } = thresholds;
  const rangeBytes = rangeBytesFor(file.totalBytes ?? 0, connections, minRangeBytes);
  const scheduler = new RangeScheduler(file.totalBytes, { rangeBytes, minRangeBytes });
  state.file = { known: file, scheduler };
  return scheduler.next() ?? scheduler.emptyRange();
}

async function streamInto(
  state: DownloadState,
  response: BodyResponse,
  range: TransferRange,
  ready: Promise<void>,
  watchdog: Watchdog,
): Promise<FetchResult> {
  const { partialFile, progress } = state.options;
  const { file } = state;
  if (file === null) throw new TypeError('nothing is known about the file');
  const { scheduler, known } = file;
  const result = await streamBody(response, {
    range,
    ready,
    advance: (bytes) => scheduler.advance(range, bytes),
    write: async (chunks, position) => {
      await partialFile.writeAt(chunks, position);
      state.source.buffers?.release(chunks);
      state.highWaterMarkBytes = Math.max(state.highWaterMarkBytes, partialFile.sizeBytes);
      progress.update(partialFile.sizeBytes, known.totalBytes);
    },
    watchdog,
  })
    .then((outcome) => {
      if (outcome === null && known.totalBytes === null) scheduler.truncate(range);
      return outcome;
    })
    .finally(() => scheduler.release(range));
  if (result === 'wrong-range') return { type: 'wrong-range' };
  return result === null ? { type: 'done' } : { type: 'failed', transferError: result, isRejection: false };
}

/** Where the bytes of one range go. */
interface StreamBodyOptions {
  readonly range: TransferRange;
  /** Resolves when the partial file can be written. */
  readonly ready: Promise<void>;
  /** Advances the range by the received bytes, and returns how many of them belong to it. */
  readonly advance: (bytes: number) => number;
  readonly write: (chunks: readonly Uint8Array[], position: number) => Promise<void>;
  readonly watchdog: Watchdog;
}

/**
 * Fewer bytes than this within a stall timeout count as none. Otherwise a server that sends single bytes would never
 * time out.
 */
export const reportIntervalBytes = 1024;

/**
 * Writes a body to the partial file, up to the end of its range, which the scheduler may move closer meanwhile. Returns
 * null if that end was reached or another connection took over the range, `wrong-range` if more bytes came than
 * declared, and otherwise the error. Rejects if the disk fails, and when the signal is aborted. Writes nothing after it
 * has settled.
 */
async function streamBody(
  response: BodyResponse,
  options: StreamBodyOptions,
): Promise<TransferError | 'wrong-range' | null> {
  const { range, ready, advance, write, watchdog } = options;
  const declaredBytes = response.toByte === null ? null : response.toByte - response.fromByte;
  let receivedBytes = 0;
  let reportedBytes = 0;
  const draining = drainInBatches(response.body, async (chunks) => {
    await ready;
    const { position } = range;
    const bytes = totalByteLength(chunks);
    receivedBytes += bytes;
    const acceptedBytes = advance(bytes);
    await write(acceptedBytes === bytes ? chunks : firstBytes(chunks, acceptedBytes), position).catch(
      rethrowAsDiskError,
    );
    const isAtEnd = range.position >= range.end;
    if (receivedBytes - reportedBytes >= reportIntervalBytes || isAtEnd) {
      reportedBytes = receivedBytes;
      watchdog.reportActivity();
    }
    // Stop reading here, unless the body ends at the same byte: its connection can then be reused.
    return acceptedBytes === bytes && !(isAtEnd && response.toByte !== range.end);
  });
  try {
    await Promise.all([ready, draining]);
  } catch (error) {
    response.body.destroy();
    await draining.catch(() => undefined);
    if (range.stolen.aborted) return null;
    watchdog.signal.throwIfAborted();
    if (isVencError(error)) throw error;
    return range.position >= range.end ? null : mapConnectionError(error, response.host, 'download');
  }
  if (declaredBytes !== null && receivedBytes > declaredBytes) return 'wrong-range';
  if (range.position >= range.end || !Number.isFinite(range.end)) return null;
  const message = `${response.host} sent ${receivedBytes} bytes instead of ${range.end - response.fromByte}.`;
  return transientError('DownloadFailureError', message);
}

/**
 * Empties the partial file and reserves the size of `file` for it. Rejects if the volume of `toPath` lacks the space.
 */
async function preparePartialFile(partialFile: PartialFile, toPath: string, file: KnownFile): Promise<void> {
  try {
    await partialFile.reset();
    if (file.totalBytes !== null && file.totalBytes > (await freeBytes(dirname(toPath))))
      throw outOfSpaceError();
    if (file.totalBytes !== null) partialFile.expectSize(file.totalBytes);
  } catch (error) {
    throw mapLocalDiskError(error, 'download');
  }
}

function rethrowAsDiskError(error: unknown): never {
  throw mapLocalDiskError(error, 'download');
}
