import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { isVencError } from '../../../src/shared/errors.js';
import { freeBytes } from '../../../src/shared/util/disk.js';
import { inScope } from '../../../src/shared/util/error-scope.js';
import { Semaphore } from '../../../src/shared/util/semaphore.js';
import type { FileFacts } from '../../jobs/job.js';
import { mapLocalDiskError, outOfSpaceError } from '../../transfer/disk-errors.js';
import { downloadToFile, type PartialFile } from '../../transfer/partial-file.js';
import { defaultConnections, type Transfer } from '../../transfer/transfer.js';
import { type TransferError, transientError } from '../../transfer/transfer-error.js';
import {
  connectTimeoutOf,
  createTransferRetryPolicy,
  type RemoteOptions,
} from '../../transfer/with-retry.js';
import { mapStorageError, transferFailure } from './map-storage-error.js';
import { getObject, type ObjectFacts, type ObjectRange, statObject } from './object.js';
import type { S3RequestContext, StorageSession, StorageSessionOptions } from './storage-session.js';

const mebibyte = 1024 * 1024;
const maxRangeBytes = 4 * mebibyte;
/** Maximum memory for all ranges that are being downloaded or wait to be written. */
const maxBufferedBytes = 40 * mebibyte;

/** The state of one attempt to download the whole object. */
interface DownloadAttempt {
  readonly session: StorageSession;
  readonly partialFile: PartialFile;
  readonly connections: number;
  readonly signal: AbortSignal;
  /** Called with the number of new bytes. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * Downloads an object in concurrent ranges. An interrupted range resumes if the object is unchanged; if it changed, the
 * download restarts. The ranges are written in order, so that they are hashed from memory.
 */
export async function downloadObject(
  session: StorageSession,
  toPath: string,
  transfer: Transfer,
  options: StorageSessionOptions,
): Promise<FileFacts> {
  const { connections = defaultConnections } = transfer;
  return downloadToFile(toPath, transfer, options, ({ partialFile, progress }) => {
    let highWaterMarkBytes = 0;
    const download = async (signal: AbortSignal): Promise<TransferError | null> => {
      await partialFile.reset();
      const facts = await session.send((request) => statObject(session, request), { signal });
      const { sizeBytes } = facts;
      if (sizeBytes !== null && sizeBytes > (await freeBytes(dirname(toPath)))) throw outOfSpaceError();
      if (sizeBytes !== null) partialFile.expectSize(sizeBytes);
      let bytes = 0;
      const onBytes = (addedBytes: number): void => {
        bytes += addedBytes;
        highWaterMarkBytes = Math.max(highWaterMarkBytes, bytes);
        progress.update(Math.min(bytes, sizeBytes ?? bytes), sizeBytes);
      };
      const download = { session, partialFile, connections, onBytes, signal };
      return facts.version === null || sizeBytes === null
        ? downloadSequentially(download)
        : downloadRanges(download, { version: facts.version, sizeBytes });
    };
    const attempt = async (): Promise<TransferError | null> => {
      const attemptOver = new AbortController();
      try {
        return await download(AbortSignal.any([transfer.signal, attemptOver.signal]));
      } finally {
        attemptOver.abort();
      }
    };
    return { attempt, highWaterMarkBytes: () => highWaterMarkBytes };
  });
}

async function downloadRanges(
  download: DownloadAttempt,
  object: { readonly version: string; readonly sizeBytes: number },
): Promise<TransferError | null> {
  const { partialFile, connections, session } = download;
  const maxPending = 2 * connections;
  const rangeBytes = Math.min(maxRangeBytes, Math.floor(maxBufferedBytes / maxPending));
  const requests = new Semaphore(connections);
  const pending: Promise<Buffer | null>[] = [];
  let requestedBytes = 0;
  while (partialFile.sizeBytes < object.sizeBytes) {
    while (requestedBytes < object.sizeBytes && pending.length < maxPending) {
      const fromByte = requestedBytes;
      requestedBytes = Math.min(object.sizeBytes, fromByte + rangeBytes);
      const toByte = requestedBytes;
      const rangeBuffer = requests.runExclusive(() =>
        downloadRange(download, { ...object, fromByte, toByte }),
      );
      // It is awaited later; until then it must not count as an unhandled rejection.
      rangeBuffer.catch(() => undefined);
      pending.push(rangeBuffer);
    }
    const rangeBuffer = (await pending.shift()) ?? null;
    if (rangeBuffer === null) {
      const message = `${session.host} changed ${session.location.name} during the download.`;
      return transientError('DownloadFailureError', message);
    }
    await write(partialFile, rangeBuffer);
  }
  return null;
}

/** Downloads one range of an object, with retries. Resolves to null if the object has changed. */
function downloadRange(
  { session, signal, onBytes }: DownloadAttempt,
  range: ObjectFacts & { readonly fromByte: number; readonly toByte: number },
): Promise<Buffer | null> {
  const rangeBuffer = Buffer.allocUnsafe(range.toByte - range.fromByte);
  let filledBytes = 0;
  const download = async (request: S3RequestContext): Promise<Buffer | null> => {
    const fromByte = range.fromByte + filledBytes;
    const response = await getObject(session, request, { ...range, fromByte });
    if (response === null) return null;
    const isSame = response.version === range.version && response.sizeBytes === range.sizeBytes;
    if (!isSame || response.fromByte !== fromByte) {
      response.body.destroy();
      return null;
    }
    await readBody(response.body, (chunk) => {
      if (filledBytes + chunk.byteLength > rangeBuffer.byteLength) throw oversizeError(session);
      rangeBuffer.set(chunk, filledBytes);
      filledBytes += chunk.byteLength;
      request.reportActivity();
      onBytes(chunk.byteLength);
    });
    if (filledBytes < rangeBuffer.byteLength) throw new Error('the range was cut off');
    return rangeBuffer;
  };
  return session.send(download, { signal, highWaterMarkBytes: () => filledBytes });
}

/**
 * Downloads an object over one connection, and restarts after an interruption: the server reports too little to resume.
 */
async function downloadSequentially({
  session,
  partialFile,
  signal,
  onBytes,
}: DownloadAttempt): Promise<null> {
  const download = async (request: S3RequestContext): Promise<null> => {
    const response = await getObject(session, request, null);
    if (response === null)
      throw transferFailure('download', `${session.host} rejected a request for the whole object.`);
    if (partialFile.sizeBytes > 0) {
      onBytes(-partialFile.sizeBytes);
      await partialFile.reset();
    }
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      await write(partialFile, chunk);
      request.reportActivity();
      onBytes(chunk.byteLength);
    }
    if (response.sizeBytes !== null && response.sizeBytes !== partialFile.sizeBytes)
      throw new Error('the object was cut off');
    return null;
  };
  return session.send(download, { signal });
}

async function write(partialFile: PartialFile, bytes: Uint8Array): Promise<void> {
  await partialFile.write(bytes).catch((error: unknown) => {
    throw mapLocalDiskError(error, 'download');
  });
}

function oversizeError({ host, location }: StorageSession): Error {
  return transferFailure('download', `${host} sent more of ${location.name} than was requested.`);
}

/**
 * Passes on the chunks of a body. All received chunks are passed on before it rejects, so that the next attempt resumes
 * after them.
 */
function readBody(body: Readable, onChunk: (chunk: Uint8Array) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    if (body.destroyed) return reject(body.errored ?? new Error('closed early'));
    body.on('data', (chunk: Uint8Array) => {
      try {
        onChunk(chunk);
      } catch (error) {
        reject(error);
        body.destroy();
      }
    });
    body.once('end', resolve);
    body.on('error', reject);
    body.once('close', () => reject(new Error('closed early')));
  });
}

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
      const timer = setTimeout(
        inScope(() => body.destroy(stalled)),
        stallTimeoutMs,
      );
      const next = await chunks.next().finally(() => clearTimeout(timer));
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    body.destroy();
  }
}
