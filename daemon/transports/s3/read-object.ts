import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { isVencError } from '../../../src/shared/errors.js';
import { transientError } from '../../transfer/transfer-error.js';
import {
  connectTimeoutOf,
  createTransferRetryPolicy,
  type RemoteOptions,
} from '../../transfer/with-retry.js';
import { mapStorageError, transferFailure } from './map-storage-error.js';
import { getObject, type ObjectRange } from './object.js';
import type { StorageSession } from './storage-session.js';

/**
 * Streams a range of an object. Continues after an interruption, if the object is unchanged: a reader may pause for
 * longer than a server keeps the connection. Only the time that a server takes counts as idle. The stream fails with
 * the error of a download.
 */
export function readObject(
  session: StorageSession,
  range: ObjectRange,
  options: Omit<RemoteOptions, 'guard'>,
): Readable {
  const closed = new AbortController();
  const stream = Readable.from(chunksOf(session, range, options, closed.signal), { objectMode: false });
  // Ends the request, which the end of the iteration alone would wait for.
  stream.once('close', () => closed.abort());
  return stream;
}

async function* chunksOf(
  session: StorageSession,
  { fromByte, toByte, version }: ObjectRange,
  options: Omit<RemoteOptions, 'guard'>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { stallTimeoutMs } = options;
  const retryPolicy = createTransferRetryPolicy({
    stallTimeoutMs,
    connectTimeoutMs: connectTimeoutOf(options),
    retryDelayMs: options.retryDelayMs ?? 500,
    clock: () => performance.now(),
  });
  let position = fromByte;
  while (position < toByte) {
    try {
      const range = { fromByte: position, toByte, version };
      const response = await session.send((request) => getObject(session, request, range), { signal });
      if (response === null || response.fromByte !== position)
        throw transferFailure('download', `${session.host} changed a file while it was read.`);
      for await (const received of withStallTimeout(session, response.body, stallTimeoutMs)) {
        const chunk = received.subarray(0, toByte - position);
        position += chunk.byteLength;
        retryPolicy.recordProgress();
        yield chunk;
        if (position === toByte) break;
      }
      if (position < toByte) throw new Error('the object was cut off');
    } catch (error) {
      signal.throwIfAborted();
      // The session has retried requests; here only a body that broke off or stalled is left.
      if (isVencError(error) && error.errorClass !== 'DownloadTimeoutError') throw error;
      const transferError = isVencError(error)
        ? transientError(error.errorClass, error.message)
        : mapStorageError(error, 'download', session.location, session.host);
      const delayMs = retryPolicy.nextDelayMs(transferError);
      if (delayMs === null) throw transferError.error;
      options.onRetry?.(transferError.error, delayMs);
      await sleep(delayMs, undefined, { signal });
    }
  }
}

/** Passes on the chunks of a body. Destroys it if the next chunk takes too long. */
async function* withStallTimeout(
  session: StorageSession,
  body: Readable,
  stallTimeoutMs: number,
): AsyncGenerator<Uint8Array> {
  const stalled = transientError('DownloadTimeoutError', `${session.host} stopped sending.`).error;
  const chunks = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const timer = setTimeout(() => body.destroy(stalled), stallTimeoutMs);
      const next = await chunks.next().finally(() => clearTimeout(timer));
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    body.destroy();
  }
}
