import { createReadStream } from 'node:fs';
import { lstat, readdir, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { KeyedMutex } from '../../src/shared/util/semaphore.js';
import type { FileFacts } from '../jobs/job.js';
import { downloadHostedFile } from './download-hosted-file.js';
import { ExpiryTimer } from './expiry-timer.js';
import { hostedFilePath, isFileRef, isToken } from './file-ref.js';
import type { FileRef, HostedFile, HostedFileStore } from './hosted-file-store.js';
import {
  type HostedFileStoreOptions,
  type HostedFileStoreState,
  isExpired,
  readRecord,
  storeDefaults,
} from './hosted-file-store-state.js';
import { putHostedFile } from './put-hosted-file.js';
import { removeExpiredFiles, removeExpiredToken, renewFiles } from './remove-expired-files.js';
import { storeUpload } from './store-upload.js';

/**
 * Creates a hosted file store in a local folder, which is created on first use. Only one process may use the folder: expiry deletes every
 * unfinished file that this process is not writing.
 */
export function createHostedFileStore(folder: string, options: HostedFileStoreOptions): HostedFileStore {
  const state: HostedFileStoreState = {
    ...storeDefaults,
    minFreeBytes: 0,
    ...options,
    folder: resolve(folder),
    mutex: new KeyedMutex(),
  };
  const expiryTimer = new ExpiryTimer({
    now: state.now,
    retentionMs: state.retentionSeconds * 1000,
    expire: (token) => removeExpiredToken(state, token),
  });
  const recordOf = async (token: string) => (isToken(token) ? readRecord(state, token) : null);
  return {
    find: (ref) => findHostedFile(state, ref),
    download: (ref, toPath, transfer) => downloadHostedFile(state, ref, toPath, transfer),
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

/** Finds the file of a reference. An empty token folder is the marker that expiry leaves: its file existed and is gone. */
async function findHostedFile(state: HostedFileStoreState, ref: FileRef): Promise<HostedFile> {
  if (!isFileRef(ref)) return { state: 'unknown' };
  const path = hostedFilePath(state.folder, ref);
  const stats = await lstat(path).catch(() => null);
  if (stats === null)
    return (await isEmpty(join(state.folder, ref.token))) ? { state: 'gone' } : { state: 'unknown' };
  if (!stats.isFile()) return { state: 'unknown' };
  if (isExpired(state, stats.mtime) && (await state.needOf(ref.token)) !== 'read') return { state: 'gone' };
  return {
    state: 'there',
    sizeBytes: stats.size,
    modifiedAt: stats.mtime,
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
