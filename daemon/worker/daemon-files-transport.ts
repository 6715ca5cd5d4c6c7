import { isVencError, VencError } from '../../src/shared/errors.js';
import type { FileFacts } from '../jobs/job.js';
import { mapLocalDiskError } from '../transfer/disk-errors.js';
import { createProgressReporter, type Transfer } from '../transfer/transfer.js';
import { UploadSource } from '../transfer/upload-source.js';
import type { OnRetry } from '../transfer/with-retry.js';
import { downloadFromHttpTarget } from '../transports/http/http-transport.js';
import { schemeOf } from '../transports/registry.js';
import type { Transport } from '../transports/transport.js';
import type { ClaimRef } from './remote-credentials.js';
import { untilAnswered } from './until-answered.js';
import { uploadToDaemon } from './upload-to-daemon.js';
import { reportedError, type WorkerClient } from './worker-client.js';

/** What the transport of the files of one run needs. */
export interface DaemonFilesOptions {
  readonly client: WorkerClient;
  readonly claim: ClaimRef;
  readonly stallTimeoutMs: number;
  /** Delay before the first retry, in milliseconds. */
  readonly retryDelayMs?: number;
  readonly onRetry?: OnRetry;
}

/**
 * The transport of files that the daemon holds: what it hosts (`hosted:`), what was uploaded to it (`upload:`), and the files of its machine
 * (`file:`). The daemon transfers them for the worker, and checks that the job of the claim names them. Sizes and checksums are measured on
 * both sides. If the daemon cannot be reached, or cannot read its records, for longer than retries take, a transfer starts over once it answers
 * for the claim again.
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
 * Rejects with `UploadFailureError` if a file of the machine of the daemon is in the way of an output. Any other answer is left to the
 * delivery.
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

/** The error of a file that the daemon does not find. It does not mention the request of the worker, which the user of the job does not know. */
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
