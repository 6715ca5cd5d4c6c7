import { isVencError } from '../../../src/shared/errors.js';
import { firstBytes, totalByteLength } from '../../transfer/chunks.js';
import { mapLocalDiskError } from '../../transfer/disk-errors.js';
import { drainInBatches } from '../../transfer/drain-in-batches.js';
import { mapConnectionError, type TransferError, transientError } from '../../transfer/transfer-error.js';
import type { Watchdog } from '../../transfer/with-retry.js';
import type { TransferRange } from './range-scheduler.js';
import type { FileResponse } from './request-file.js';

/** An answer with a body. */
export type BodyResponse = Extract<FileResponse, { type: 'body' }>;

/** What is done with the bytes of one stretch. */
export interface StreamBodyOptions {
  readonly range: TransferRange;
  /** Settles when the file is ready to be written. */
  readonly ready: Promise<void>;
  /** How many of the bytes that have come are wanted: the stretch goes on by so many. */
  readonly advance: (bytes: number) => number;
  readonly write: (chunks: readonly Uint8Array[], position: number) => Promise<void>;
  readonly watchdog: Watchdog;
}

/** Fewer bytes than these within a stall timeout are as good as none: a server that drips would otherwise never be given up. */
const reportIntervalBytes = 1024;

/**
 * Writes a body to where it belongs, up to the end of its stretch, which others may draw nearer meanwhile. Null where that end was
 * reached, or the stretch was given to another connection; `unsound` where more came than was promised; else the trouble. Rejects where the
 * disk fails, and when it is stopped. Nothing is written any more when it has settled.
 */
export async function streamBody(
  response: BodyResponse,
  options: StreamBodyOptions,
): Promise<TransferError | 'unsound' | null> {
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
    // A body that ends here by itself leaves its connection to be used again.
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
  if (declaredBytes !== null && receivedBytes > declaredBytes) return 'unsound';
  if (range.position >= range.end || !Number.isFinite(range.end)) return null;
  const message = `${response.host} sent ${receivedBytes} bytes where ${range.end - response.fromByte} were to come.`;
  return transientError('DownloadFailureError', message);
}

function rethrowAsDiskError(error: unknown): never {
  throw mapLocalDiskError(error, 'download');
}
