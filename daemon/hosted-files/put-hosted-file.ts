import { copyFile, open, rename, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import { systemCode } from '../../src/shared/util/system-code.js';
import type { FileFacts } from '../jobs/job.js';
import { mapLocalDiskError } from '../transfer/disk-errors.js';
import { makeFolders, syncFile, syncFolder } from '../transfer/folders.js';
import { measureAndFlush } from '../transfer/read-file.js';
import type { Transfer } from '../transfer/transfer.js';
import { hostedFilePath, isFileRef } from './file-ref.js';
import type { FileRef } from './hosted-file-store.js';
import { type HostedFileStoreState, unfinishedFolder } from './hosted-file-store-state.js';

/** Measures a finished file and moves it into the store durably. Its retention time starts now. */
export async function putHostedFile(
  state: HostedFileStoreState,
  fromPath: string,
  ref: FileRef,
  transfer: Transfer,
): Promise<FileFacts> {
  if (!isFileRef(ref)) throw new VencError('UploadFailureError', 'The name is not valid for a hosted file.');
  try {
    const facts = await measureToStore(fromPath, transfer);
    transfer.signal.throwIfAborted();
    await state.mutex.runExclusive(ref.token, () => moveIntoStore(state, fromPath, ref));
    return facts;
  } catch (error) {
    transfer.signal.throwIfAborted();
    throw mapLocalDiskError(error, 'upload');
  }
}

async function measureToStore(path: string, transfer: Transfer): Promise<FileFacts> {
  const handle = await open(path, 'r');
  try {
    return await measureAndFlush(handle, transfer);
  } finally {
    await handle.close();
  }
}

async function moveIntoStore(state: HostedFileStoreState, fromPath: string, ref: FileRef): Promise<void> {
  // Set the time and sync first: under its final name the file is complete, even after a power cut.
  await touchAndSync(state, fromPath);
  const tokenFolder = join(state.folder, ref.token);
  const undo = await makeFolders(tokenFolder);
  try {
    await rename(fromPath, hostedFilePath(state.folder, ref)).catch(async (error: unknown) => {
      if (systemCode(error) !== 'EXDEV') throw error;
      await copyAcrossVolumes(state, fromPath, ref);
    });
  } catch (error) {
    await undo();
    throw error;
  }
  await syncFolder(tokenFolder);
}

async function copyAcrossVolumes(state: HostedFileStoreState, fromPath: string, ref: FileRef): Promise<void> {
  await makeFolders(unfinishedFolder(state), 0o700);
  const partPath = join(unfinishedFolder(state), ref.token);
  try {
    await copyFile(fromPath, partPath);
    await touchAndSync(state, partPath);
    await rename(partPath, hostedFilePath(state.folder, ref));
  } catch (error) {
    await unlink(partPath).catch(() => undefined);
    throw error;
  }
  await unlink(fromPath).catch(() => undefined);
}

async function touchAndSync(state: HostedFileStoreState, path: string): Promise<void> {
  await utimes(path, state.now(), state.now());
  await syncFile(path);
}
