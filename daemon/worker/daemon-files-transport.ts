import { isVencError, VencError } from '../../src/shared/errors.js';
import { isObject } from '../../src/shared/util/is-object.js';
import type { FileFacts } from '../jobs/job.js';
import { mapLocalDiskError } from '../transfer/disk-errors.js';
import { createProgressReporter, type Transfer } from '../transfer/transfer.js';
import { permanentError, type TransferError, transientError } from '../transfer/transfer-error.js';
import { UploadSource } from '../transfer/upload-source.js';
import {
  type OnRetry,
  type RemoteOptions,
  type Watchdog,
  withIdleTimeout,
  withRetry,
} from '../transfer/with-retry.js';
import { downloadFromHttpTarget } from '../transports/http/http-transport.js';
import { schemeOf } from '../transports/registry.js';
import type { Transport } from '../transports/transport.js';
import {
  type ClaimRef,
  reportedError,
  untilAnswered,
  type WorkerClient,
  WorkerRequestError,
} from './worker-client.js';

/** What the transport of the files of one run needs. */
interface DaemonFilesOptions {
  readonly client: WorkerClient;
  readonly claim: ClaimRef;
  readonly stallTimeoutMs: number;
  /** Delay before the first retry, in milliseconds. */
  readonly retryDelayMs?: number;
  readonly onRetry?: OnRetry;
}

/**
 * The transport of files that the daemon holds: what it hosts (`hosted:`), what was uploaded to it (`upload:`), and the
 * files of its machine (`file:`). The daemon transfers them for the worker, and checks that the job of the claim names
 * them. Sizes and checksums are measured on both sides. If the daemon cannot be reached, or cannot read its records,
 * for longer than retries take, a transfer starts over once it answers for the claim again.
 */
export function createDaemonFilesTransport(options: DaemonFilesOptions): Transport {
  const { client, claim, stallTimeoutMs, retryDelayMs, onRetry } = options;
  const path = (url: string, what = 'file') =>
    `/claims/${claim.jobId}/${what}?url=${encodeURIComponent(url)}`;
  const ask = (url: string) => () =>
    client.send({ method: 'GET', path: path(url, 'received'), claim: claim.token, signal: claim.signal });
  const remoteOptions = {
    guard: client.guard,
    stallTimeoutMs,
    ...(retryDelayMs === undefined ? {} : { retryDelayMs }),
    ...(onRetry === undefined ? {} : { onRetry }),
  };
  return {
    schemes: ['hosted', 'upload', 'file'],
    download: (from, toPath, transfer) =>
      repeatUntilAnswered(ask(from), transfer.signal, () =>
        downloadFromHttpTarget(
          { ...client.target(path(from), claim.token), credentials: null },
          toPath,
          // The link to the daemon is the same for each connection.
          { ...transfer, connections: 1 },
          remoteOptions,
        ).catch((error: unknown) => {
          throw isVencError(error, 'FileNotFoundError') ? missingFile(error) : error;
        }),
      ),
    async sizeOf(from, signal) {
      const request = { method: 'HEAD', path: path(from), claim: claim.token, signal } as const;
      const { headers } = await client.send(request).catch((error: unknown) => {
        throw asDownloadError(reportedError(error));
      });
      const length = headers['content-length'];
      return length === undefined ? null : Number(length);
    },
    upload: (fromPath, to, transfer) =>
      repeatUntilAnswered(ask(to), transfer.signal, () =>
        uploadFile(fromPath, transfer, (file) => {
          const paths = { file: path(to), received: path(to, 'received') };
          return uploadToDaemon(file, transfer, { client, claim, paths, ...remoteOptions });
        }),
      ),
    async remove(url) {
      await client.send({ method: 'DELETE', path: path(url), claim: claim.token }).catch((error: unknown) => {
        const reported = reportedError(error);
        if (!isVencError(reported, 'NotFoundError')) throw reported;
      });
    },
  };
}

/**
 * Rejects with `UploadFailureError` if a file of the machine of the daemon is in the way of an output. Any other answer
 * is left to the delivery.
 */
export async function checkPlace(client: WorkerClient, claim: ClaimRef, destination: string): Promise<void> {
  if (schemeOf(destination) !== 'file') return;
  const path = `/claims/${claim.jobId}/received?url=${encodeURIComponent(destination)}`;
  const { token, signal } = claim;
  await client.send({ method: 'GET', path, claim: token, signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    const reported = reportedError(error);
    if (isVencError(reported, 'UploadFailureError')) throw reported;
  });
}

async function uploadFile(
  fromPath: string,
  transfer: Transfer,
  send: (file: UploadSource) => Promise<void>,
): Promise<FileFacts> {
  transfer.signal.throwIfAborted();
  try {
    const file = await UploadSource.open(fromPath);
    try {
      await send(file);
      createProgressReporter(transfer).complete(file.sizeBytes);
      return await file.facts();
    } finally {
      await file.close();
    }
  } catch (error) {
    transfer.signal.throwIfAborted();
    throw mapLocalDiskError(error, 'upload');
  }
}

/** Repeats a transfer that failed while the daemon did not answer `ask`, once it does. */
async function repeatUntilAnswered<T>(
  ask: () => Promise<unknown>,
  signal: AbortSignal,
  transfer: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await transfer();
    } catch (error) {
      signal.throwIfAborted();
      let wasAnswered = true;
      const onFailure = () => {
        wasAnswered = false;
      };
      // A rejection is an answer.
      await untilAnswered(ask, { signal, onFailure }).catch(() => undefined);
      signal.throwIfAborted();
      if (wasAnswered) throw error;
    }
  }
}

/**
 * The error of a file that the daemon does not find. It does not mention the request of the worker, which the user of
 * the job does not know.
 */
function missingFile(cause: VencError): VencError {
  return new VencError('FileNotFoundError', 'The file does not exist on the machine of the daemon.', {
    cause,
  });
}

function asDownloadError(error: unknown): unknown {
  if (isVencError(error, 'NotFoundError')) return missingFile(error);
  if (isVencError(error, 'UnreachableError'))
    return new VencError('DownloadFailureError', error.message, { cause: error });
  return error;
}

/** Where and how a file is uploaded to the daemon. */
interface DaemonUploadOptions extends Omit<RemoteOptions, 'guard'> {
  readonly client: WorkerClient;
  readonly claim: ClaimRef;
  readonly paths: { readonly file: string; readonly received: string };
}

/**
 * Uploads a file to the daemon, with retries. After an interruption the upload continues behind the last byte that the
 * daemon has. The daemon measures the file as well: if its checksum differs, the upload starts over.
 */
async function uploadToDaemon(
  file: UploadSource,
  transfer: Transfer,
  options: DaemonUploadOptions,
): Promise<void> {
  const { client, claim, paths, stallTimeoutMs } = options;
  const { signal } = transfer;
  const progress = createProgressReporter(transfer);
  const host = new URL(client.url).host;
  let highWaterMarkBytes = 0;

  const receivedBytes = async (watchdog: Watchdog): Promise<number> => {
    const request = {
      method: 'GET',
      path: paths.received,
      claim: claim.token,
      signal: watchdog.signal,
    } as const;
    const { json } = await client.send(request);
    return isObject(json) && typeof json.receivedBytes === 'number' ? json.receivedBytes : 0;
  };

  const send = async (watchdog: Watchdog): Promise<TransferError | null> => {
    const offset = Math.min(await receivedBytes(watchdog), file.sizeBytes);
    // An earlier upload of the file was aborted: the checksum is that of the whole file.
    await readUpTo(file, offset);
    const body = file.bytesFrom(offset, (bytes) => {
      watchdog.reportActivity();
      highWaterMarkBytes = Math.max(highWaterMarkBytes, bytes);
      progress.update(bytes, file.sizeBytes);
    });
    const { json } = await client.send({
      method: 'PUT',
      path: `${paths.file}&offset=${offset}&size=${file.sizeBytes}`,
      claim: claim.token,
      headers: {
        'content-type': 'application/octet-stream',
        'content-length': String(file.sizeBytes - offset),
      },
      body,
      signal: watchdog.signal,
      // The watchdog ends an idle upload.
      timeoutMs: null,
    });
    const { sizeBytes, md5 } = await file.facts();
    if (isObject(json) && json.md5 === md5 && json.sizeBytes === sizeBytes) return null;
    await client.send({ method: 'DELETE', path: paths.file, claim: claim.token, signal: watchdog.signal });
    return transientError('UploadFailureError', `${host} received other bytes than this worker sent.`);
  };

  const attempt = () =>
    withIdleTimeout({ signal, stallTimeoutMs, direction: 'upload', host }, async (watchdog) => {
      try {
        return await send(watchdog);
      } catch (error) {
        watchdog.signal.throwIfAborted();
        return asTransferError(error);
      }
    });
  await withRetry({ attempt, highWaterMarkBytes: () => highWaterMarkBytes, signal }, options);
}

/** Reads a file at least up to an offset. */
async function readUpTo(file: UploadSource, offset: number): Promise<void> {
  if (file.bytesTransferred >= offset) return;
  const bytes = file.bytesFrom(file.bytesTransferred);
  for await (const _ of bytes as AsyncIterable<Buffer>) if (file.bytesTransferred >= offset) break;
}

function asTransferError(error: unknown): TransferError {
  if (!(error instanceof WorkerRequestError)) throw error;
  const { reported, details } = error;
  const { status, isTransient, retryAfterMs } = details;
  if (reported.errorClass === 'OutOfSpaceError' || reported.errorClass === 'OutputSizeLimitError')
    return permanentError(reported.errorClass, reported.message, error);
  // After a wrong offset the next attempt asks for the right one.
  const isRetryable = isTransient || (status === 409 && reported.errorClass !== 'ClaimLostError');
  const kind = isRetryable ? 'transient' : 'permanent';
  return {
    kind,
    error: new VencError('UploadFailureError', reported.message, { cause: reported }),
    retryAfterMs,
  };
}
