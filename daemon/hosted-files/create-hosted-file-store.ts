import { constants, createReadStream } from 'node:fs';
import { copyFile, lstat, open, readdir, rename, rm, rmdir, unlink, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import { KeyedMutex } from '../../src/shared/util/semaphore.js';
import { systemCode } from '../../src/shared/util/system-code.js';
import type { FileFacts } from '../jobs/job.js';
import { mapLocalDiskError } from '../transfer/disk-errors.js';
import { makeFolders, syncFile, syncFolder } from '../transfer/folders.js';
import { copyToFile } from '../transfer/partial-file.js';
import { measureAndFlush, measureFile } from '../transfer/read-file.js';
import { createProgressReporter, type Transfer } from '../transfer/transfer.js';
import { ExpiryTimer } from './expiry-timer.js';
import { hostedFilePath, isFileRef, isToken, missingFileError } from './file-ref.js';
import type { FileRef, HostedFile, HostedFileStore } from './hosted-file-store.js';
import {
  expiryOfFile,
  type HostedFileStoreOptions,
  type HostedFileStoreState,
  isExpired,
  readRecord,
  removeRecord,
  storeDefaults,
  type UploadRecord,
  unfinishedFolder,
  writeRecord,
} from './hosted-file-store-state.js';
import { removeExpiredFiles, removeIfExpired, renewFiles } from './remove-expired-files.js';
import { mapUploadError, storeUpload } from './store-upload.js';
import { tryLink } from './try-link.js';

/**
 * Creates a hosted file store in a local folder, which is created on first use. Only one process may use the folder:
 * expiry deletes every unfinished file that this process is not writing.
 */
export function createHostedFileStore(folder: string, options: HostedFileStoreOptions): HostedFileStore {
  const state: HostedFileStoreState = {
    ...storeDefaults,
    minFreeBytes: 0,
    announcedBytes: () => 0,
    ...options,
    folder: resolve(folder),
    mutex: new KeyedMutex(),
  };
  const expiryTimer = new ExpiryTimer({
    now: state.now,
    expire: (token) => removeIfExpired(state, token),
  });
  const recordOf = async (token: string) => (isToken(token) ? readRecord(state, token) : null);
  return {
    usesDisk: true,
    find: (ref) => findHostedFile(state, ref),
    download: (ref, toPath, transfer) => downloadHostedFile(state, ref, toPath, transfer),
    async openHere(ref) {
      if ((await findHostedFile(state, ref)).state !== 'there') return null;
      const path = hostedFilePath(state.folder, ref);
      return open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => null);
    },
    async put(fromPath, to, transfer) {
      const storedAt = state.now();
      const facts = await putHostedFile(state, fromPath, to, transfer);
      expiryTimer.schedule(to.token, storedAt);
      return facts;
    },
    remove: (ref) => removeHostedFile(state, ref),
    removeAll: async (token) => {
      if (!isToken(token)) return;
      const path = join(state.folder, token);
      await state.mutex.runExclusive(token, () => rm(path, { recursive: true, force: true }));
    },
    async receive(body, name, ownerId, signal, declaredBytes = 0) {
      const received = await storeUpload(state, { body, name, ownerId, signal, declaredBytes });
      expiryTimer.schedule(received.token, state.now());
      return received;
    },
    async keepUpload(fromPath, ref, record) {
      const storedAt = state.now();
      await keepUpload(state, fromPath, ref, record);
      expiryTimer.schedule(ref.token, storedAt);
    },
    ownerOf: async (token) => (await recordOf(token))?.ownerId ?? null,
    factsOf: async (token): Promise<FileFacts | null> => {
      const record = await recordOf(token);
      return record === null ? null : { sizeBytes: record.sizeBytes, md5: record.md5 };
    },
    renew: async (token) => {
      if (isToken(token)) await state.mutex.runExclusive(token, () => renewFiles(state, token));
    },
    removeExpired: () => removeExpiredFiles(state, (token, due) => expiryTimer.scheduleAt(token, due)),
    problem: async () => null,
    close: () => expiryTimer.close(),
  };
}

/**
 * Finds the file of a reference. An empty token folder is the marker that expiry leaves: its file existed and is gone. The
 * time of the folder is that of the expiry.
 */
async function findHostedFile(state: HostedFileStoreState, ref: FileRef): Promise<HostedFile> {
  if (!isFileRef(ref)) return { state: 'unknown' };
  const path = hostedFilePath(state.folder, ref);
  const stats = await lstat(path).catch(() => null);
  if (stats === null) {
    const folder = join(state.folder, ref.token);
    if (!(await isEmpty(folder))) return { state: 'unknown' };
    return { state: 'gone', expiredAt: (await lstat(folder).catch(() => null))?.mtime ?? null };
  }
  if (!stats.isFile()) return { state: 'unknown' };
  if (isExpired(state, ref.token, stats.mtime) && (await state.needOf(ref.token)) !== 'read')
    return { state: 'gone', expiredAt: expiryOfFile(ref.token, stats.mtime) };
  return {
    state: 'there',
    sizeBytes: stats.size,
    modifiedAt: stats.mtime,
    // A file is replaced, never written to.
    version: stats.ino.toString(16),
    read: (range) => createReadStream(path, range),
  };
}

async function isEmpty(folder: string): Promise<boolean> {
  return readdir(folder).then(
    (names) => names.length === 0,
    () => false,
  );
}

/** Deletes a file and leaves no marker: the token folder is deleted with its last file. */
async function removeHostedFile(state: HostedFileStoreState, ref: FileRef): Promise<void> {
  if (!isFileRef(ref)) return;
  await state.mutex.runExclusive(ref.token, async () => {
    await rm(hostedFilePath(state.folder, ref), { force: true });
    await rmdir(join(state.folder, ref.token)).catch(() => undefined);
  });
}

/**
 * Copies a file of the store to a path. Files in the store are never modified, so a hard link replaces a copy, and it
 * stays valid after the store deletes its own name.
 */
async function downloadHostedFile(
  state: HostedFileStoreState,
  ref: FileRef,
  toPath: string,
  transfer: Transfer,
): Promise<FileFacts> {
  if (!isFileRef(ref)) throw missingFileError('unknown');
  try {
    transfer.signal.throwIfAborted();
    const path = hostedFilePath(state.folder, ref);
    return (await tryLink(path, toPath))
      ? await readLinkedFacts(state, ref.token, toPath, transfer)
      : await copyFromStore(path, toPath, transfer);
  } catch (error) {
    transfer.signal.throwIfAborted();
    if (systemCode(error) === 'ENOENT') throw missingFileError('unknown');
    throw mapLocalDiskError(error, 'download');
  }
}

/** Returns the size and MD5 measured when the file was received. Measures the file again only if they are missing. */
async function readLinkedFacts(
  state: HostedFileStoreState,
  token: string,
  path: string,
  transfer: Transfer,
): Promise<FileFacts> {
  const { size: sizeBytes } = await lstat(path);
  const recorded = await readRecord(state, token);
  if (recorded === null || recorded.sizeBytes !== sizeBytes) {
    return measureFile(path, createProgressReporter(transfer), transfer.signal).catch(
      async (error: unknown) => {
        await unlink(path);
        throw error;
      },
    );
  }
  createProgressReporter(transfer).complete(sizeBytes);
  return { sizeBytes, md5: recorded.md5 };
}

async function copyFromStore(path: string, toPath: string, transfer: Transfer): Promise<FileFacts> {
  const handle = await open(path, 'r');
  try {
    return await copyToFile(handle, toPath, { transfer });
  } finally {
    await handle.close();
  }
}

/** Measures a finished file and moves it into the store durably. Its retention time starts now. */
async function putHostedFile(
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

/** Moves a finished upload into the store durably. As with a received one, its folder comes first, then its record. */
async function keepUpload(
  state: HostedFileStoreState,
  fromPath: string,
  ref: FileRef,
  record: UploadRecord,
): Promise<void> {
  await state.mutex.runExclusive(ref.token, async () => {
    let undo = async (): Promise<void> => {};
    try {
      undo = await makeFolders(join(state.folder, ref.token));
      await writeRecord(state, ref.token, record);
      await moveIntoStore(state, fromPath, ref);
    } catch (error) {
      await removeRecord(state, ref.token);
      await undo();
      throw mapUploadError(error);
    }
  });
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
