import { VencError } from '../../src/shared/errors.js';
import { isObject } from '../../src/shared/util/is-object.js';
import { createProgressReporter, type Transfer } from '../transfer/transfer.js';
import { permanentError, type TransferError, transientError } from '../transfer/transfer-error.js';
import type { UploadSource } from '../transfer/upload-source.js';
import { type RemoteOptions, type Watchdog, withIdleTimeout, withRetry } from '../transfer/with-retry.js';
import type { ClaimRef } from './remote-credentials.js';
import { type WorkerClient, WorkerRequestError } from './worker-client.js';

/** Where and how a file is uploaded to the daemon. */
interface DaemonUploadOptions extends Omit<RemoteOptions, 'guard'> {
  readonly client: WorkerClient;
  readonly claim: ClaimRef;
  readonly paths: { readonly file: string; readonly received: string };
}

/**
 * Uploads a file to the daemon, with retries. After an interruption the upload continues behind the last byte that the daemon has. The daemon
 * measures the file as well: if its checksum differs, the upload starts over.
 */
export async function uploadToDaemon(
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
