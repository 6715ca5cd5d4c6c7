import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { freeBytes } from '../../src/shared/util/disk.js';
import { diskReason } from '../../src/shared/util/system-code.js';
import type { FileFacts } from '../jobs/job.js';
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

/** How many bytes may arrive between two checks of the free space. */
const spaceCheckIntervalBytes = 64 * 1024 * 1024;

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
 * Streams a body into a new file. Rejects with `DownloadTimeoutError` if the body stalls, with `DownloadFailureError` if it breaks off, or
 * with the reason of the signal. No partial file is left then.
 */
export async function storeUpload(
  state: HostedFileStoreState,
  upload: IncomingUpload,
): Promise<FileRef & FileFacts> {
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
  await checkFreeSpace(state, declaredBytes);
  const partPath = join(unfinishedFolder(state), token);
  return PartialFile.create(partPath, { partPath, isDurable: true });
}

async function writeBody(
  state: HostedFileStoreState,
  partialFile: PartialFile,
  upload: IncomingUpload,
): Promise<FileFacts> {
  const { body, signal } = upload;
  const stalled = new VencError('DownloadTimeoutError', 'The upload stopped sending data and was aborted.');
  const timer = setTimeout(() => body.destroy(stalled), state.stallTimeoutMs);
  const onAbort = () => body.destroy(new Error('stopped'));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  let nextSpaceCheckBytes = 0;
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
      if (partialFile.sizeBytes >= nextSpaceCheckBytes) {
        await checkFreeSpace(state);
        nextSpaceCheckBytes = partialFile.sizeBytes + spaceCheckIntervalBytes;
      }
      await partialFile.write(chunk).catch(rethrowAsDiskError);
      timer.refresh();
    }
    signal.throwIfAborted();
    return await partialFile.facts().catch(rethrowAsDiskError);
  } catch (error) {
    signal.throwIfAborted();
    if (isVencError(error)) throw error;
    throw new VencError('DownloadFailureError', 'The upload broke off.', { cause: error });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

function rethrowAsDiskError(error: unknown): never {
  throw mapUploadError(error);
}

/** Maps a disk error to `UnavailableError`: the operator must fix the disk of the daemon, and the client may retry later. */
function mapUploadError(error: unknown): VencError {
  const diskError = mapLocalDiskError(error, 'download');
  if (isVencError(error) || diskError.errorClass === 'OutOfSpaceError') return diskError;
  const reason = `The daemon cannot write the upload to its disk: ${diskReason(error, 'write', 'the daemon has')}.`;
  return new VencError('UnavailableError', reason, { cause: error });
}

async function checkFreeSpace(state: HostedFileStoreState, requiredBytes = 0): Promise<void> {
  const remainingBytes = (await freeBytes(unfinishedFolder(state))) - requiredBytes;
  if (remainingBytes < state.minFreeBytes) throw outOfSpaceError();
}

async function commitUpload(
  state: HostedFileStoreState,
  partialFile: PartialFile,
  ref: FileRef,
  record: FileFacts & { readonly ownerId: string },
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
