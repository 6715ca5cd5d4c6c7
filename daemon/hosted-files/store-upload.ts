import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { VencError } from '../../src/shared/errors.js';
import type { FileFacts } from '../jobs/job.js';
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
import { checkFreeSpace, mapUploadError, receiveBody } from './receive-body.js';

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
  await checkFreeSpace(unfinishedFolder(state), state.minFreeBytes, declaredBytes);
  const partPath = join(unfinishedFolder(state), token);
  return PartialFile.create(partPath, { partPath, isDurable: true });
}

async function writeBody(
  state: HostedFileStoreState,
  partialFile: PartialFile,
  { body, signal }: IncomingUpload,
): Promise<FileFacts> {
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
