import { dirname } from 'node:path';
import { VencError } from '../../../src/shared/errors.js';
import { freeBytes } from '../../../src/shared/util/disk.js';
import type { FileFacts } from '../../jobs/job.js';
import { totalByteLength } from '../../transfer/chunks.js';
import { mapLocalDiskError, outOfSpaceError } from '../../transfer/disk-errors.js';
import { downloadToFile, type PartialFile } from '../../transfer/partial-file.js';
import type { Transfer } from '../../transfer/transfer.js';
import { requireLocation, type TransferError, transientError } from '../../transfer/transfer-error.js';
import type { RemoteOptions } from '../../transfer/with-retry.js';
import type { Transport } from '../transport.js';
import { type FileServer, type RemoteFacts, type RemoteLocation, withSession } from './file-server.js';
import { type RemoteUploadOptions, removeFrom, uploadTo } from './upload-to-server.js';

/** Maximum number of uploads whose created folders are kept in memory, so that `remove` can remove them. */
const maxRemembered = 1000;

/**
 * Creates the transport of a kind of file server. Its library is loaded on the first transfer, to save memory in an
 * idle daemon.
 */
export function createServerTransport(
  schemes: readonly string[],
  parseUrl: (url: string) => RemoteLocation | string,
  load: () => Promise<FileServer>,
  options: RemoteUploadOptions,
): Transport {
  const validationError = async (url: string): Promise<string | null> => {
    const location = parseUrl(url);
    return typeof location === 'string' ? location : null;
  };
  /** Folders that the latest uploads created, by URL. */
  const createdFolders = new Map<string, readonly string[]>();
  const remember = (url: string, folders: readonly string[]): void => {
    createdFolders.delete(url);
    if (folders.length > 0) createdFolders.set(url, folders);
    for (const oldest of [...createdFolders.keys()].slice(0, -maxRemembered)) createdFolders.delete(oldest);
  };
  const removeFile = async (url: string, path: string | null, folders: readonly string[]): Promise<void> => {
    const location = parseUrl(url);
    if (typeof location !== 'string')
      await removeFrom(await load(), location, { path: path ?? location.path, folders }, options);
  };
  return {
    schemes,
    checkInput: validationError,
    checkOutput: validationError,
    download: async (from, toPath, transfer) =>
      downloadFrom(await load(), requireLocation(parseUrl(from), 'download'), toPath, transfer, options),
    sizeOf: async (from, signal) =>
      fetchRemoteSize(await load(), requireLocation(parseUrl(from), 'download'), signal, options),
    async upload(fromPath, to, transfer) {
      const location = requireLocation(parseUrl(to), 'upload');
      const { facts, folders } = await uploadTo(await load(), location, fromPath, to, transfer, options);
      remember(to, folders);
      return facts;
    },
    async remove(url) {
      await removeFile(url, null, createdFolders.get(url) ?? []);
      createdFolders.delete(url);
    },
    removeOrphan: ({ url, name, folders = [] }) => removeFile(url, name, folders),
  };
}

/**
 * Downloads a file from a file server. After an interruption, the download resumes if the server reports the same
 * version, and restarts otherwise. Finally the size is compared with the size that the server reports.
 */
async function downloadFrom(
  server: FileServer,
  location: RemoteLocation,
  toPath: string,
  transfer: Transfer,
  options: RemoteOptions,
): Promise<FileFacts> {
  const { signal } = transfer;
  signal.throwIfAborted();
  const { stallTimeoutMs } = options;
  const sessionOptions = { server, location, direction: 'download', signal, stallTimeoutMs } as const;
  return downloadToFile(toPath, transfer, options, ({ partialFile, progress }) => {
    let previousFacts: RemoteFacts | null = null;
    let highWaterMarkBytes = 0;
    const attempt = () =>
      withSession(sessionOptions, async (session, watchdog) => {
        const facts = await session.stat(location.path);
        if (facts === null) throw fileNotFoundError(location);
        if (previousFacts === null || !isSame(previousFacts, facts)) await partialFile.reset();
        previousFacts = facts;
        await checkFreeSpace(facts, partialFile, dirname(toPath));
        if (facts.sizeBytes !== null) partialFile.expectSize(facts.sizeBytes);
        await session.read(location.path, partialFile.sizeBytes, async (chunks) => {
          if (facts.sizeBytes !== null && partialFile.sizeBytes + totalByteLength(chunks) > facts.sizeBytes)
            throw oversizeError(facts.sizeBytes, location);
          await partialFile.writeAt(chunks, partialFile.sizeBytes).catch((error: unknown) => {
            throw mapLocalDiskError(error, 'download');
          });
          watchdog.reportActivity();
          highWaterMarkBytes = Math.max(highWaterMarkBytes, partialFile.sizeBytes);
          progress.update(partialFile.sizeBytes, facts.sizeBytes);
        });
        const transferError = checkSize(facts, partialFile, location);
        if (transferError !== null) previousFacts = null;
        return transferError;
      });
    return { attempt, highWaterMarkBytes: () => highWaterMarkBytes };
  });
}

/** Without a version the download must not resume: it could splice two files of the same size. */
function isSame(previousFacts: RemoteFacts, facts: RemoteFacts): boolean {
  return (
    facts.version !== null &&
    previousFacts.version === facts.version &&
    previousFacts.sizeBytes === facts.sizeBytes
  );
}

async function checkFreeSpace(
  { sizeBytes }: RemoteFacts,
  partialFile: PartialFile,
  folder: string,
): Promise<void> {
  if (sizeBytes !== null && sizeBytes - partialFile.sizeBytes > (await freeBytes(folder)))
    throw outOfSpaceError();
}

function checkSize(
  { sizeBytes }: RemoteFacts,
  partialFile: PartialFile,
  location: RemoteLocation,
): TransferError | null {
  if (sizeBytes === null || sizeBytes === partialFile.sizeBytes) return null;
  const message = `${location.name} sent ${partialFile.sizeBytes} bytes of a file of ${sizeBytes}.`;
  return transientError('DownloadFailureError', message);
}

/** A server that sends more than the file has may never stop. */
function oversizeError(sizeBytes: number, location: RemoteLocation): VencError {
  return new VencError(
    'DownloadFailureError',
    `${location.name} sent more than the ${sizeBytes} bytes of the file.`,
  );
}

/** The error for a missing file. */
function fileNotFoundError(location: RemoteLocation): VencError {
  return new VencError('FileNotFoundError', `There is no file ${location.path} on ${location.name}.`);
}

/**
 * The size of a file on a file server, in bytes; null if the server does not report it. Makes one attempt, and rejects
 * with the errors of
 * {@link downloadFrom}.
 */
async function fetchRemoteSize(
  server: FileServer,
  location: RemoteLocation,
  signal: AbortSignal,
  { stallTimeoutMs }: RemoteOptions,
): Promise<number | null> {
  signal.throwIfAborted();
  let sizeBytes: number | null = null;
  const sessionOptions = { server, location, direction: 'download', signal, stallTimeoutMs } as const;
  const transferError = await withSession(sessionOptions, async (session) => {
    const facts = await session.stat(location.path);
    if (facts === null) throw fileNotFoundError(location);
    sizeBytes = facts.sizeBytes;
    return null;
  });
  if (transferError !== null) throw transferError.error;
  return sizeBytes;
}
