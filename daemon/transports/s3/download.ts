import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { Semaphore } from '../../../src/shared/util/semaphore.js';
import type { FileFacts } from '../../jobs/job.js';
import { mapLocalDiskError, outOfSpaceError } from '../../transfer/disk-errors.js';
import { downloadToFile } from '../../transfer/download-to-file.js';
import { freeBytes } from '../../transfer/folders.js';
import type { PartialFile } from '../../transfer/partial-file.js';
import { defaultConnections, type Transfer } from '../../transfer/transfer.js';
import { type TransferError, transientError } from '../../transfer/transfer-error.js';
import { transferFailure } from './map-storage-error.js';
import { getObject, type ObjectFacts, statObject } from './object.js';
import type { S3RequestContext, StorageSession, StorageSessionOptions } from './storage-session.js';

const mebibyte = 1024 * 1024;
const maxRangeBytes = 4 * mebibyte;
/** What all pieces that come or wait for their turn may take up in memory together. */
const maxBufferedBytes = 40 * mebibyte;

/** What one way through the object works with. */
interface DownloadAttempt {
  readonly session: StorageSession;
  readonly partialFile: PartialFile;
  readonly connections: number;
  readonly signal: AbortSignal;
  /** More bytes have come. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * Brings an object in ranges side by side, each of which goes on where it broke off as long as it is the same object: one that was
 * changed is begun anew. The pieces are written in their order, so that they are summed up as they pass.
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
      if (partialFile.sizeBytes > 0) await partialFile.reset();
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
      // It is waited for in its turn; until then nobody listens.
      rangeBuffer.catch(() => undefined);
      pending.push(rangeBuffer);
    }
    const rangeBuffer = (await pending.shift()) ?? null;
    if (rangeBuffer === null) {
      const message = `${session.host} changed ${session.location.name} while it was sent.`;
      return transientError('DownloadFailureError', message);
    }
    await write(partialFile, rangeBuffer);
  }
  return null;
}

/** One range of an object, in as many pieces as the server needs; null where the object is another one by now. */
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

/** All of an object over one connection, begun anew whenever it breaks off: what the server says of it does not suffice for more. */
async function downloadSequentially({
  session,
  partialFile,
  signal,
  onBytes,
}: DownloadAttempt): Promise<null> {
  const download = async (request: S3RequestContext): Promise<null> => {
    const response = await getObject(session, request, null);
    if (response === null)
      throw transferFailure('download', `${session.host} sends no part that was asked for.`);
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
  return transferFailure('download', `${host} sent more of ${location.name} than was asked for.`);
}

/** Hands on the pieces of a body. All that came is taken before it is told that the body broke off: the next attempt goes on from there. */
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
