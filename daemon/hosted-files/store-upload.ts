import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { freeBytes } from '../../src/shared/util/disk.js';
import { diskReason } from '../../src/shared/util/system-code.js';
import type { FileFactsWithMd5 } from '../jobs/job.js';
import { mapLocalDiskError, outOfSpaceError } from '../transfer/disk-errors.js';
import { makeFolders } from '../transfer/folders.js';
import { PartialFile } from '../transfer/partial-file.js';
import { hostedFilePath, validateFileName } from './file-ref.js';
import type { FileRef } from './hosted-file-store.js';
import {
  type HostedFileStoreState,
  removeRecord,
  unfinishedFolder,
  writeRecord,
} from './hosted-file-store-state.js';

/** One upload to receive. */
export interface IncomingUpload {
  readonly body: Readable;
  readonly name: string;
  readonly ownerId: string;
  readonly signal: AbortSignal;
  /** Length that the client declared; 0 if it declared none. */
  readonly declaredBytes: number;
}

/**
 * Streams a body into a new file. Rejects with `DownloadTimeoutError` if the body stalls, with `DownloadFailureError`
 * if it breaks off, or with the reason of the signal. No partial file is left then.
 */
export async function storeUpload(
  state: HostedFileStoreState,
  upload: IncomingUpload,
): Promise<FileRef & FileFactsWithMd5> {
  const { name, ownerId, signal } = upload;
  const validationError = validateFileName(name);
  if (validationError !== null)
    throw new VencError('InvalidRequestError', `the file name ${validationError}`);
  signal.throwIfAborted();
  // The body may fail before the first read, and an unhandled 'error' event would end the daemon.
  upload.body.on('error', () => undefined);
  const ref = { token: state.randomToken(), name };
  return state.mutex.runExclusive(ref.token, async () => {
    try {
      const partialFile = await createPartialFile(state, ref.token, upload.declaredBytes);
      const facts = await writeBody(state, partialFile, upload).catch(async (error: unknown) => {
        await partialFile.discard();
        throw error;
      });
      await commitUpload(state, partialFile, ref, { ownerId, ...facts });
      return { ...ref, ...facts };
    } catch (error) {
      // Drain the body so that the client can read the response: destroying it would close the connection.
      upload.body.resume();
      signal.throwIfAborted();
      throw mapUploadError(error);
    }
  });
}

async function createPartialFile(
  state: HostedFileStoreState,
  token: string,
  declaredBytes: number,
): Promise<PartialFile> {
  await makeFolders(unfinishedFolder(state), 0o700);
  const requiredBytes = state.announcedBytes() + declaredBytes;
  await checkFreeSpace(unfinishedFolder(state), state.minFreeBytes, requiredBytes);
  const partPath = join(unfinishedFolder(state), token);
  return PartialFile.create(partPath, { partPath, isDurable: true });
}

async function writeBody(
  state: HostedFileStoreState,
  partialFile: PartialFile,
  { body, signal }: IncomingUpload,
): Promise<FileFactsWithMd5> {
  const { stallTimeoutMs, minFreeBytes } = state;
  const options = { signal, stallTimeoutMs, minFreeBytes, folder: unfinishedFolder(state) };
  await receiveBody(body, options, (chunk) => partialFile.write(chunk));
  return partialFile.facts().catch((error: unknown) => {
    throw mapUploadError(error);
  });
}

async function commitUpload(
  state: HostedFileStoreState,
  partialFile: PartialFile,
  ref: FileRef,
  record: FileFactsWithMd5 & { readonly ownerId: string },
): Promise<void> {
  const path = hostedFilePath(state.folder, ref);
  let undo = async (): Promise<void> => {};
  try {
    undo = await makeFolders(join(state.folder, ref.token));
    await writeRecord(state, ref.token, record);
    await partialFile.finish(path);
  } catch (error) {
    await partialFile.discard();
    await removeRecord(state, ref.token);
    await undo();
    throw error;
  }
}

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
