import { unlink } from 'node:fs/promises';
import { parse } from 'node:path';
import { VencError } from '../../../src/shared/errors.js';
import type { Log } from '../../../src/shared/util/log.js';
import { mapWithConcurrency } from '../../../src/shared/util/semaphore.js';
import { ExpiryTimer } from '../../hosted-files/expiry-timer.js';
import { isFileRef, isToken, missingFileError } from '../../hosted-files/file-ref.js';
import type { FileRef, HostedFile, HostedFileStore } from '../../hosted-files/hosted-file-store.js';
import {
  expiryOfFile,
  type HostedFileStoreOptions,
  isExpired,
  neededRecheckMs,
  storeDefaults,
} from '../../hosted-files/hosted-file-store-state.js';
import { BucketAvailability, checkBucket } from './bucket-availability.js';
import {
  ask,
  type BucketFileStoreOptions,
  type BucketFileStoreState,
  expiredPath,
  objectPath,
  readStoredUpload,
  recordPath,
  renewUpload,
} from './bucket-file-store-state.js';
import { BucketFolder, type BucketFolderOptions, parseHostedUrl } from './bucket-folder.js';
import { keepInBucket, receiveToBucket } from './receive-to-bucket.js';

/**
 * Creates a hosted file store in a bucket. Several daemons may use the same folder: each reads the files of all, and
 * deletes those that have expired. A file expires 24 hours after the time that the server has for it, so the clocks of
 * the daemons need not agree.
 */
export function createBucketFileStore(options: BucketFileStoreOptions): HostedFileStore {
  const state: BucketFileStoreState = {
    ...storeDefaults,
    ...options,
    activeTokens: new Map(),
  };
  const { folder, availability } = state;
  const expiry = createBucketExpiry(state);
  const expiryTimer = new ExpiryTimer({
    now: state.now,
    expire: (token) => expiry.removeIfExpired(token),
  });
  const recordOf = (token: string) =>
    isToken(token) ? ask(state, (signal) => readStoredUpload(state, token, signal)) : null;
  return {
    usesDisk: false,
    find: (ref) => ask(state, (signal) => findObject(state, ref, signal)),
    async download(ref, toPath, transfer) {
      if (!isFileRef(ref)) throw missingFileError('unknown');
      return folder.download(objectPath(state, ref), toPath, transfer);
    },
    // Its files are elsewhere.
    openHere: async () => null,
    async put(fromPath, ref, transfer) {
      if (!isFileRef(ref))
        throw new VencError('UploadFailureError', 'The name is not valid for a hosted file.');
      const { signal, onProgress } = transfer;
      const facts = await whileActive(state, ref.token, () =>
        // Neither headers nor grants of the output: only the daemon reads these objects.
        folder.upload(fromPath, objectPath(state, ref), { signal, onProgress }),
      );
      await unlink(fromPath).catch(() => {});
      expiryTimer.schedule(ref.token, state.now());
      return facts;
    },
    async remove(ref) {
      if (!isFileRef(ref)) return;
      await ask(state, async (signal) => {
        await folder.remove(objectPath(state, ref), signal);
        if (state.kind === 'uploads') await folder.remove(recordPath(state, ref.token), signal);
      });
    },
    async removeAll(token) {
      if (!isToken(token)) return;
      const objects = await ask(state, (signal) => folder.list(`${state.kind}/${token}/`, signal));
      const paths = [
        ...objects.map(({ key }) => key),
        ...(state.kind === 'uploads' ? [recordPath(state, token)] : []),
        expiredPath(state, token),
      ];
      await mapWithConcurrency(paths, maxParallelRemovals, (path) =>
        ask(state, (signal) => folder.remove(path, signal)),
      );
    },
    async receive(body, name, ownerId, signal, declaredBytes = 0) {
      const upload = { body, name, ownerId, signal, declaredBytes };
      const received = await receiveToBucket(state, upload, (token, work) => whileActive(state, token, work));
      expiryTimer.schedule(received.token, state.now());
      return received;
    },
    async keepUpload(fromPath, ref, record, signal) {
      await whileActive(state, ref.token, () => keepInBucket(state, { fromPath, ref, record, signal }));
      await unlink(fromPath).catch(() => {});
      expiryTimer.schedule(ref.token, state.now());
    },
    ownerOf: async (token) => (await recordOf(token))?.ownerId ?? null,
    async factsOf(token) {
      const record = await recordOf(token);
      return record === null ? null : { sizeBytes: record.sizeBytes, md5: record.md5 };
    },
    renew: async (token) => {
      if (isToken(token)) await ask(state, (signal) => renewUpload(state, token, signal));
    },
    removeExpired: () => expiry.removeExpired(expiryTimer),
    problem: (maxWaitMs) => availability.problem(maxWaitMs),
    close() {
      expiryTimer.close();
      expiry.close();
    },
  };
}

/** Finds the file of a reference. If it is missing, a marker shows that the files of its token have expired. */
async function findObject(
  state: BucketFileStoreState,
  ref: FileRef,
  signal: AbortSignal,
): Promise<HostedFile> {
  if (!isFileRef(ref)) return { state: 'unknown' };
  const { folder } = state;
  const path = objectPath(state, ref);
  const stat = await folder.stat(path, signal);
  if (stat === null) {
    const marker = await folder.readText(expiredPath(state, ref.token), signal);
    return marker === null ? { state: 'unknown' } : { state: 'gone', expiredAt: expiryInMarker(marker) };
  }
  const { sizeBytes, version } = stat;
  if (sizeBytes === null)
    throw new VencError('DownloadFailureError', `${folder.host} does not report the sizes of objects.`);
  const modifiedAt = stat.modifiedAt ?? state.now();
  if (isExpired(state, ref.token, modifiedAt)) {
    const renewedAt = (await readStoredUpload(state, ref.token, signal))?.storedAt;
    const storedAt = renewedAt === undefined ? modifiedAt : new Date(renewedAt);
    if (isExpired(state, ref.token, storedAt) && (await state.needOf(ref.token)) !== 'read')
      return { state: 'gone', expiredAt: expiryOfFile(ref.token, storedAt) };
  }
  return {
    state: 'there',
    sizeBytes,
    modifiedAt,
    read: ({ start, end }) => folder.read(path, { fromByte: start, toByte: end + 1, version }),
  };
}

/** The time in the marker of an expired token; null for markers of earlier versions. */
function expiryInMarker(text: string): Date | null {
  const time = /^\{"expiredAt":"([^"]+)"\}$/.exec(text)?.[1];
  const expiredAt = new Date(time ?? Number.NaN);
  return Number.isNaN(expiredAt.getTime()) ? null : expiredAt;
}

/** Runs a write of a file of a token. */
async function whileActive<T>(
  { activeTokens }: BucketFileStoreState,
  token: string,
  work: () => Promise<T>,
): Promise<T> {
  activeTokens.set(token, (activeTokens.get(token) ?? 0) + 1);
  try {
    return await work();
  } finally {
    const count = (activeTokens.get(token) ?? 1) - 1;
    if (count === 0) activeTokens.delete(token);
    else activeTokens.set(token, count);
  }
}

/** Objects are deleted one by one, because not every compatible server deletes several with one request. */
const maxParallelRemovals = 8;

/** How long the marker of an expired token is kept: 30 days. */
const markerRetentionMs = 30 * 86_400_000;
/** How often each daemon looks for old markers and records without a file. */
const oldMarkersIntervalMs = 86_400_000;
/** How long a token is left alone whose files are being written. */
const activeDelayMs = 60_000;

/** Deletes the expired files of a store in a bucket. Several daemons may do that at once. */
interface BucketExpiry {
  /**
   * Deletes the files of a token if all of them have expired. They are deleted together, so that none is `unknown`
   * before it is `gone`. Resolves to the expiry time of the last file, or null if no file is left.
   */
  removeIfExpired(token: string): Promise<Date | null>;
  /** Deletes all that has expired, and schedules the expiry of the tokens that the timer does not know. */
  removeExpired(expiryTimer: ExpiryTimer): Promise<void>;
  /** Ends all requests. */
  close(): void;
}

/** Creates the expiry of a store. */
function createBucketExpiry(state: BucketFileStoreState): BucketExpiry {
  const { folder, kind } = state;
  const closed = new AbortController();
  const { signal } = closed;
  let oldMarkersAtMs = Number.NEGATIVE_INFINITY;

  const removeIfExpired = async (token: string): Promise<Date | null> => {
    if (state.activeTokens.has(token)) return new Date(state.now().getTime() + activeDelayMs);
    const objects = await folder.list(`${kind}/${token}/`, signal);
    if (objects.length === 0) return null;
    const latestMs = Math.max(...objects.map(({ modifiedAt }) => modifiedAt.getTime()));
    const storedAt = isExpired(state, token, new Date(latestMs))
      ? (await readStoredUpload(state, token, signal))?.storedAt
      : undefined;
    const latest = storedAt === undefined ? new Date(latestMs) : new Date(storedAt);
    const expiresAt = expiryOfFile(token, latest);
    if (!isExpired(state, token, latest)) return expiresAt;
    if ((await state.needOf(token)) !== null) {
      if (!state.renewsNeeded) return new Date(state.now().getTime() + neededRecheckMs);
      await renewUpload(state, token, signal);
      return expiryOfFile(token, state.now());
    }
    // The marker comes first, so that files are `gone` and never `unknown`, also after a crash here.
    await folder.writeText(expiredPath(state, token), JSON.stringify({ expiredAt: expiresAt }), signal);
    await mapWithConcurrency(objects, maxParallelRemovals, ({ key }) => folder.remove(key, signal));
    if (kind === 'uploads') await folder.remove(recordPath(state, token), signal);
    return null;
  };

  /** Deletes the markers of long ago, and the records of uploads that failed while they were completed. */
  const removeOldMarkers = async (tokens: ReadonlySet<string>): Promise<void> => {
    const nowMs = state.now().getTime();
    if (nowMs - oldMarkersAtMs < oldMarkersIntervalMs) return;
    const markers = await folder.list(`${kind}/.expired/`, signal);
    const oldMarkers = markers.filter(({ modifiedAt }) => nowMs - modifiedAt.getTime() >= markerRetentionMs);
    const records = kind === 'uploads' ? await folder.list(`${kind}/.records/`, signal) : [];
    const orphans = records.filter(
      ({ key, modifiedAt }) => isExpired(state, parse(key).name, modifiedAt) && !tokens.has(parse(key).name),
    );
    await mapWithConcurrency([...oldMarkers, ...orphans], maxParallelRemovals, ({ key }) =>
      folder.remove(key, signal),
    );
    oldMarkersAtMs = nowMs;
  };

  return {
    removeIfExpired,
    async removeExpired(expiryTimer) {
      const tokens = (await folder.listFolders(`${kind}/`, signal)).filter(isToken);
      // The timer checks them when they are due. Listing each token every time would cost as many requests as there are
      // outputs.
      const unknown = tokens.filter((token) => !expiryTimer.isScheduled(token));
      await mapWithConcurrency(unknown, maxParallelRemovals, async (token) => {
        const due = await removeIfExpired(token);
        if (due !== null) expiryTimer.scheduleAt(token, due);
      });
      await removeOldMarkers(new Set(tokens));
    },
    close: () => closed.abort(),
  };
}

/** Options of the stores in a bucket. */
interface OpenBucketFilesOptions {
  readonly now: () => Date;
  readonly randomToken: () => string;
  readonly needOf?: NonNullable<HostedFileStoreOptions['needOf']>;
  readonly log: Log;
  readonly remoteOptions: BucketFolderOptions;
}

/** The stores in a bucket. */
interface BucketFiles {
  readonly hosted: HostedFileStore;
  readonly uploads: HostedFileStore;
  /** Stops both stores, and closes all connections. */
  readonly close: () => void;
}

/**
 * Opens the stores of hosted outputs and uploads in a bucket, after a check that it can be used. `url` is the value of
 * `--hosted`. Rejects with `UsageError` if it is invalid, or if the bucket is missing or rejects the keys; if its
 * server cannot be reached, the log says so.
 */
export async function openBucketFiles(
  url: string,
  { now, randomToken, log, remoteOptions, needOf = storeDefaults.needOf }: OpenBucketFilesOptions,
): Promise<BucketFiles> {
  const location = parseHostedUrl(url, remoteOptions.service);
  const folder = new BucketFolder(location, remoteOptions);
  const availability = new BucketAvailability(folder, log);
  try {
    const failure = await checkBucket(folder, randomToken());
    if (failure !== null) availability.report(failure);
  } catch (error) {
    folder.close();
    throw error;
  }
  const { stallTimeoutMs } = remoteOptions;
  const open = (kind: 'hosted' | 'uploads') =>
    createBucketFileStore({
      ...{ now, randomToken, stallTimeoutMs, folder, availability, kind, needOf },
      renewsNeeded: kind === 'uploads',
    });
  log(
    'info',
    `Hosted files and uploads are kept in the bucket ${location.name} at ${folder.host} (--hosted).`,
  );
  const [hosted, uploads] = [open('hosted'), open('uploads')];
  const close = () => {
    for (const part of [hosted, uploads, folder]) part.close();
  };
  return { hosted, uploads, close };
}
