import type { Readable } from 'node:stream';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { freeBytes } from '../../src/shared/util/disk.js';
import { diskReason } from '../../src/shared/util/system-code.js';
import { mapLocalDiskError, outOfSpaceError } from '../transfer/disk-errors.js';

/** How many bytes may arrive between two checks of the free space. */
const spaceCheckIntervalBytes = 64 * 1024 * 1024;

/** How the chunks of a body are received. */
interface ChunkOptions {
  readonly signal: AbortSignal;
  /** How long the client may send nothing before the body is aborted, in milliseconds. */
  readonly stallTimeoutMs: number;
}

/** How a body is received. */
interface BodyOptions extends ChunkOptions {
  /** A folder on the volume that the body is written to, and the space that is left free on it. */
  readonly folder: string;
  readonly minFreeBytes: number;
}

/**
 * Reads the body of a request and passes on its chunks, one after the other. Rejects with `DownloadTimeoutError` if the
 * body stalls, with `DownloadFailureError` if it breaks off, with `OutOfSpaceError` if the disk is full, or with the
 * reason of the signal.
 */
export async function receiveBody(
  body: Readable,
  { signal, stallTimeoutMs, folder, minFreeBytes }: BodyOptions,
  onChunk: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  let receivedBytes = 0;
  let nextSpaceCheckBytes = 0;
  for await (const chunk of receivedChunks(body, { signal, stallTimeoutMs })) {
    if (receivedBytes >= nextSpaceCheckBytes) {
      await checkFreeSpace(folder, minFreeBytes).catch((error: unknown) => {
        throw mapUploadError(error);
      });
      nextSpaceCheckBytes = receivedBytes + spaceCheckIntervalBytes;
    }
    await onChunk(chunk).catch((error: unknown) => {
      throw mapUploadError(error);
    });
    receivedBytes += chunk.byteLength;
  }
}

/**
 * The chunks of the body of a request. Rejects with `DownloadTimeoutError` if the next one takes too long, with
 * `DownloadFailureError` if the body breaks off, or with the reason of the signal. The time that the reader takes for a
 * chunk does not count.
 */
export async function* receivedChunks(
  body: Readable,
  { signal, stallTimeoutMs }: ChunkOptions,
): AsyncGenerator<Uint8Array> {
  const stalled = new VencError('DownloadTimeoutError', 'The upload stopped sending data and was aborted.');
  const onAbort = () => body.destroy(new Error('stopped'));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>;
  const nextChunk = async (): Promise<IteratorResult<Uint8Array>> => {
    const timer = setTimeout(() => body.destroy(stalled), stallTimeoutMs);
    try {
      const next = await chunks.next();
      if (next.done === true) signal.throwIfAborted();
      return next;
    } catch (error) {
      signal.throwIfAborted();
      if (isVencError(error)) throw error;
      throw new VencError('DownloadFailureError', 'The upload broke off.', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    for (let next = await nextChunk(); next.done !== true; next = await nextChunk()) yield next.value;
  } finally {
    signal.removeEventListener('abort', onAbort);
    await chunks.return?.();
  }
}

/** Rejects with `OutOfSpaceError` if a folder's volume has not enough space left for further bytes. */
export async function checkFreeSpace(folder: string, minFreeBytes: number, requiredBytes = 0): Promise<void> {
  const remainingBytes = (await freeBytes(folder)) - requiredBytes;
  if (remainingBytes < minFreeBytes) throw outOfSpaceError();
}

/**
 * Maps a disk error to `UnavailableError`: the operator must fix the disk of the daemon, and the client may retry
 * later.
 */
export function mapUploadError(error: unknown): VencError {
  const diskError = mapLocalDiskError(error, 'download');
  if (isVencError(error) || diskError.errorClass === 'OutOfSpaceError') return diskError;
  const reason = `The daemon cannot write the upload to its disk: ${diskReason(error, 'write', 'the daemon has')}.`;
  return new VencError('UnavailableError', reason, { cause: error });
}
