import { posix } from 'node:path';
import type { FileFacts } from '../../jobs/job.js';
import type { CleanupJournal } from '../../transfer/cleanup-journal.js';
import { mapLocalDiskError } from '../../transfer/disk-errors.js';
import { partialFileName } from '../../transfer/partial-file.js';
import { createProgressReporter, type Transfer } from '../../transfer/transfer.js';
import { type TransferError, transientError } from '../../transfer/transfer-error.js';
import { UploadSource } from '../../transfer/upload-source.js';
import { type RemoteOptions, withRetry } from '../../transfer/with-retry.js';
import { type FileServer, type FileSession, type RemoteLocation, withSession } from './file-server.js';

/** Options of an upload to a file server. */
export interface RemoteUploadOptions extends RemoteOptions {
  readonly cleanupJournal: CleanupJournal;
}

/** The state of an upload: what it has created on the server. */
interface UploadState {
  /** The file under its temporary name. */
  readonly partPath: string;
  /** Created folders, outermost first. */
  readonly folders: string[];
  hasStarted: boolean;
  /** The partial file is known to be wrong, so the upload restarts. */
  isCorrupt: boolean;
  isDone: boolean;
  highWaterMarkBytes: number;
}

/** The result of an upload. */
interface UploadResult {
  readonly facts: FileFacts;
  /** Folders that were created for it, outermost first. */
  readonly folders: readonly string[];
}

/** Options and state of a running upload. */
interface UploadContext extends Transfer {
  readonly state: UploadState;
  /** Adds the created folders to the journal entry. */
  readonly journalFolders: () => Promise<void>;
}

/**
 * Uploads a file to a file server under a temporary name, and renames it when the server reports the right size. After
 * an interruption, the upload resumes at the end of the partial file. Missing folders are created. If the upload fails
 * or is aborted, the partial file and the created folders are removed over a new connection.
 */
export async function uploadTo(
  server: FileServer,
  location: RemoteLocation,
  fromPath: string,
  to: string,
  transfer: Transfer,
  options: RemoteUploadOptions,
): Promise<UploadResult> {
  const { signal } = transfer;
  signal.throwIfAborted();
  const file = await UploadSource.open(fromPath, transfer.facts).catch((error: unknown) => {
    throw mapLocalDiskError(error, 'upload');
  });
  try {
    return await deliver(server, location, file, { to, transfer, options });
  } finally {
    await file.close();
  }
}

async function deliver(
  server: FileServer,
  location: RemoteLocation,
  file: UploadSource,
  { to, transfer, options }: { to: string; transfer: Transfer; options: RemoteUploadOptions },
): Promise<UploadResult> {
  const partPath = posix.join(posix.dirname(location.path), partialFileName());
  const state: UploadState = {
    partPath,
    folders: [],
    hasStarted: false,
    isCorrupt: false,
    isDone: false,
    highWaterMarkBytes: 0,
  };
  let removeEntry = await options.cleanupJournal.add({ url: to, name: partPath });
  const journalFolders = async () => {
    const removePreviousEntry = removeEntry;
    removeEntry = await options.cleanupJournal.add({ url: to, name: partPath, folders: state.folders });
    await removePreviousEntry();
  };
  try {
    await send(server, location, file, { ...transfer, state, journalFolders }, options);
    const facts = await file.facts();
    await removeEntry();
    return { facts, folders: state.folders };
  } catch (error) {
    // If the rollback fails, the journal entry stays for the next start.
    if (await rollBack(server, location, state, options)) await removeEntry();
    transfer.signal.throwIfAborted();
    throw mapLocalDiskError(error, 'upload');
  }
}

async function send(
  server: FileServer,
  location: RemoteLocation,
  file: UploadSource,
  upload: UploadContext,
  options: RemoteOptions,
): Promise<void> {
  const { signal, state } = upload;
  const progress = createProgressReporter(upload);
  const { stallTimeoutMs } = options;
  const attempt = () =>
    withSession(
      { server, location, direction: 'upload', signal, stallTimeoutMs },
      async (session, watchdog) => {
        if (!state.hasStarted) await makeFolders(session, location, upload);
        const isResumed = state.hasStarted && !state.isCorrupt;
        const fromByte = isResumed ? await remotePartBytes(session, state, file, server.unconfirmedBytes) : 0;
        state.isCorrupt = false;
        state.hasStarted = true;
        const onBytesTransferred = (transferredBytes: number): void => {
          watchdog.reportActivity();
          state.highWaterMarkBytes = Math.max(state.highWaterMarkBytes, transferredBytes);
          progress.update(transferredBytes, file.sizeBytes);
        };
        await session.write(state.partPath, fromByte, (onPiece) =>
          file.readFrom(fromByte, onPiece, { signal: watchdog.signal, onBytesTransferred }),
        );
        const transferError = await checkSize(session, state, file, location);
        if (transferError !== null) return transferError;
        watchdog.signal.throwIfAborted();
        await session.rename(state.partPath, location.path);
        state.isDone = true;
        return null;
      },
    );
  await withRetry({ attempt, highWaterMarkBytes: () => state.highWaterMarkBytes, signal }, options);
  progress.complete(file.sizeBytes);
}

async function makeFolders(
  session: FileSession,
  { folders }: RemoteLocation,
  { state, journalFolders }: UploadContext,
): Promise<void> {
  // Usually the folders exist, and then one request is enough.
  const innermost = folders.at(-1);
  if (innermost === undefined || (await session.stat(innermost)) !== null) return;
  for (const folder of folders) if (await session.makeFolder(folder)) state.folders.push(folder);
  // Not before they are created: an empty folder of another user must not be taken for ours.
  if (state.folders.length > 0) await journalFolders();
}

/**
 * How many bytes of the partial file to resume from; 0 if the file is larger than what was sent, because it is not ours
 * then.
 */
async function remotePartBytes(
  session: FileSession,
  { partPath }: UploadState,
  { bytesTransferred }: UploadSource,
  unconfirmedBytes = 0,
): Promise<number> {
  const sizeBytes = (await session.stat(partPath))?.sizeBytes ?? 0;
  return sizeBytes <= bytesTransferred ? Math.max(sizeBytes - unconfirmedBytes, 0) : 0;
}

async function checkSize(
  session: FileSession,
  state: UploadState,
  file: UploadSource,
  location: RemoteLocation,
): Promise<TransferError | null> {
  const storedBytes = (await session.stat(state.partPath))?.sizeBytes;
  if (storedBytes === null || storedBytes === file.sizeBytes) return null;
  state.isCorrupt = true;
  const message = `${location.name} stored ${storedBytes ?? 0} bytes of a file of ${file.sizeBytes}`;
  return transientError('UploadFailureError', `${message}: its disk may be full.`);
}

/**
 * Removes what a failed upload left. Resolves to false if that fails. Makes one attempt, limited by the stall timeout.
 */
async function rollBack(
  server: FileServer,
  location: RemoteLocation,
  state: UploadState,
  options: RemoteOptions,
): Promise<boolean> {
  if (!state.hasStarted && state.folders.length === 0) return true;
  const path = state.isDone ? location.path : state.partPath;
  return removeFrom(server, location, { path, folders: state.folders }, options).then(
    () => true,
    () => false,
  );
}

/** Removes a file from a file server, then the given folders (outermost first) if they are empty. No-op if absent. */
export async function removeFrom(
  server: FileServer,
  location: RemoteLocation,
  { path, folders }: { readonly path: string; readonly folders: readonly string[] },
  { stallTimeoutMs, cleanupEnd }: RemoteOptions,
): Promise<void> {
  const signal = cleanupEnd ?? new AbortController().signal;
  const sessionOptions = { server, location, direction: 'upload', signal, stallTimeoutMs } as const;
  const transferError = await withSession(sessionOptions, async (session) => {
    await session.remove(path);
    await removeEmpty(session, folders);
    return null;
  });
  if (transferError !== null) throw transferError.error;
}

/** Removes folders, innermost first. Stops at the first that is not empty: others use it now. */
async function removeEmpty(session: FileSession, folders: readonly string[]): Promise<void> {
  try {
    for (const folder of folders.toReversed()) await session.removeFolder(folder);
  } catch {
    // The session ends here.
  }
}
