import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import { replaceFile } from '../../src/shared/util/atomic-files.js';
import { textFileOptions } from '../../src/shared/util/disk.js';
import { isObject } from '../../src/shared/util/is-object.js';
import { KeyedMutex } from '../../src/shared/util/semaphore.js';
import { settleWithin } from '../../src/shared/util/timing.js';
import { makeFolders } from '../transfer/folders.js';
import type { FileRef, HostedFileStore } from './hosted-file-store.js';
import { type FilePart, ReceivedFile } from './received-file.js';
import { checkFreeSpace, mapUploadError } from './store-upload.js';

/** The dependencies of `UnfinishedUploads`. */
interface UnfinishedUploadsOptions {
  /** The folder of the files. Only this object uses it. */
  readonly folder: string;
  /** Where a complete file goes. */
  readonly uploads: Pick<HostedFileStore, 'keepUpload' | 'find'>;
  readonly now: () => Date;
  readonly randomToken: () => string;
  readonly stallTimeoutMs: number;
  /** Free space that received files leave on the volume. */
  readonly minFreeBytes: number;
  /** How long the last part waits for the file to be stored, in milliseconds; 20 seconds by default. */
  readonly maxStoreWaitMs?: number;
}

/** What identifies an upload: no other account can name it. */
export interface UploadKey {
  readonly ownerId: string;
  readonly name: string;
  /** Chosen by the client. */
  readonly token: string;
}

/** How far an upload is. */
export interface UploadState {
  readonly receivedBytes: number;
  readonly sizeBytes: number;
  /** The file in the store of uploads; null until it is there. */
  readonly ref: FileRef | null;
}

/** What is stored of an upload. */
interface UnfinishedRecord {
  readonly ownerId: string;
  readonly name: string;
  readonly sizeBytes: number;
  /** The token that the file has in the store, chosen in advance: storing it again after a crash changes nothing. */
  readonly storeToken: string;
  readonly isStored: boolean;
}

/** An upload that is received, or that was stored in the last 24 hours. */
interface Unfinished {
  readonly id: string;
  readonly file: ReceivedFile;
  record: UnfinishedRecord;
  /** Whether there is space for it, and its record is on the disk. */
  isAccepted: boolean;
  /** When the last byte was received, or the file was stored. */
  changedAt: Date;
  storing: Promise<void> | null;
}

/** How long an upload is kept after the last byte was received, in milliseconds. */
const retentionMs = 86_400_000;
/** How long after the last byte the rest of an upload counts as needed: its client may be about to continue. */
const reservationMs = 600_000;
/** A proxy may end a request whose answer takes longer than a minute. */
const defaultStoreWaitMs = 20_000;
const recordName = 'upload.json';
const dataName = 'data';

/**
 * Uploads that arrive in parts, on the disk of the daemon: each has a folder with a small record and the bytes received.
 * They survive the end of the daemon, and are removed 24 hours after their last byte. A complete file moves to the
 * store of uploads.
 *
 * Rejects with `ConflictError` if a part does not begin where the file ends, with `OutOfSpaceError` if there is no space
 * for the rest of it, and otherwise as a whole upload does.
 */
export class UnfinishedUploads {
  readonly #options: UnfinishedUploadsOptions;
  readonly #uploads = new Map<string, Unfinished>();
  readonly #acceptances = new KeyedMutex<'acceptance'>();
  /** Aborted when the daemon ends. */
  readonly #closed = new AbortController();

  constructor(options: UnfinishedUploadsOptions) {
    this.#options = options;
  }

  /** Reads the uploads of an earlier process. Removes what is damaged. */
  async load(): Promise<void> {
    const { folder } = this.#options;
    for (const id of await readdir(folder).catch(() => [])) {
      const upload = await this.#read(id);
      if (upload === null) await rm(join(folder, id), { recursive: true, force: true });
      else this.#uploads.set(id, upload);
    }
  }

  /** Space that uploads still need which are being received, or were within the last ten minutes. */
  announcedBytes(): number {
    return this.#announcedBytes(null);
  }

  /** How far an upload is; null if there is none. */
  find(key: UploadKey): UploadState | null {
    const upload = this.#uploads.get(idOf(key));
    return upload === undefined ? null : stateOf(upload);
  }

  /**
   * Appends a part. The first one, at offset 0, begins the upload. A complete file is stored even if the client
   * disconnects. If that takes longer than some seconds, this resolves before, to a state without a file; an empty part
   * at the end waits again.
   */
  async receive(key: UploadKey, part: FilePart): Promise<UploadState> {
    const id = idOf(key);
    const upload =
      this.#uploads.get(id) ?? this.#create(id, newRecord(key, part, this.#options.randomToken()));
    this.#uploads.set(id, upload);
    return upload.file.replaceRequest([part.signal, this.#closed.signal], async (signal) => {
      // The request before this one may have been rejected.
      this.#uploads.set(id, upload);
      try {
        return await this.#receive(upload, { ...part, signal });
      } finally {
        if (!upload.isAccepted) this.#uploads.delete(id);
      }
    });
  }

  /** Removes what was received of an upload. Resolves to false if there is none, or if the file is complete. */
  async cancel(key: UploadKey): Promise<boolean> {
    const upload = this.#uploads.get(idOf(key));
    if (upload === undefined || upload.record.isStored || upload.storing !== null) return false;
    await this.#remove(upload, new VencError('ConflictError', 'The upload has been cancelled.'));
    return true;
  }

  /** Removes uploads of which nothing was received for 24 hours. */
  async removeExpired(): Promise<void> {
    for (const upload of [...this.#uploads.values()]) {
      const isUsed = upload.file.isActive || upload.storing !== null;
      if (isUsed || this.#ageMs(upload) < retentionMs) continue;
      await this.#remove(upload, new VencError('ConflictError', 'The upload has expired: begin again.'));
    }
  }

  /** Ends all requests. The bytes that they have sent stay. */
  async close(): Promise<void> {
    const message = 'The daemon is stopping: continue the upload later.';
    const reason = new VencError('UnavailableError', message, { retryAfterSeconds: 2 });
    this.#closed.abort(reason);
    const uploads = [...this.#uploads.values()];
    await Promise.all(uploads.flatMap(({ file, storing }) => [file.close(reason), storing?.catch(() => {})]));
  }

  async #receive(upload: Unfinished, part: FilePart): Promise<UploadState> {
    const { file } = upload;
    file.checkPart(part);
    if (upload.record.isStored) return stateOf(upload);
    if (upload.storing === null && (file.receivedBytes < part.sizeBytes || part.sizeBytes === 0))
      await this.#append(upload, part);
    if (file.receivedBytes === part.sizeBytes) {
      upload.storing ??= this.#store(upload).finally(() => {
        upload.storing = null;
      });
      const { maxStoreWaitMs = defaultStoreWaitMs } = this.#options;
      await settleWithin(unlessAborted(upload.storing, part.signal), maxStoreWaitMs, undefined);
    }
    return stateOf(upload);
  }

  async #append(upload: Unfinished, part: FilePart): Promise<void> {
    const { file } = upload;
    const { receivedBytes } = file;
    await this.#accept(upload, part.sizeBytes);
    try {
      await file.append(part, { ...this.#options, isDurable: true });
    } finally {
      if (file.receivedBytes > receivedBytes) upload.changedAt = this.#options.now();
    }
  }

  /** Checks that there is space for the rest of an upload. Writes its record when it begins. */
  async #accept(upload: Unfinished, sizeBytes: number): Promise<void> {
    const { folder, minFreeBytes } = this.#options;
    try {
      // One after the other: two that do not fit together must not both be accepted.
      await this.#acceptances.runExclusive('acceptance', async () => {
        await makeFolders(folder, 0o700);
        const restBytes = sizeBytes - upload.file.receivedBytes;
        await checkFreeSpace(folder, minFreeBytes, restBytes + this.#announcedBytes(upload));
        if (upload.file.receivedBytes > 0) return;
        await makeFolders(join(folder, upload.id), 0o700);
        await this.#write(upload, { ...upload.record, sizeBytes });
        upload.isAccepted = true;
      });
    } catch (error) {
      throw mapUploadError(error);
    }
  }

  async #store(upload: Unfinished): Promise<void> {
    const { file, record } = upload;
    const { signal } = this.#closed;
    const facts = await file.facts(signal);
    await this.#options.uploads.keepUpload(
      file.path,
      refOf(record),
      { ownerId: record.ownerId, ...facts },
      signal,
    );
    upload.changedAt = this.#options.now();
    upload.record = { ...record, isStored: true };
    // Without it, the next start finds the file in the store.
    await this.#write(upload, upload.record).catch(() => {});
  }

  /** Reads an upload of an earlier process; null if it is damaged. */
  async #read(id: string): Promise<Unfinished | null> {
    const { folder, uploads } = this.#options;
    const recordPath = join(folder, id, recordName);
    const record = parseRecord(await readFile(recordPath, textFileOptions).catch(() => ''));
    const recordStats = await stat(recordPath).catch(() => null);
    if (record === null || recordStats === null) return null;
    const dataStats = await stat(join(folder, id, dataName)).catch(() => null);
    const isStored =
      record.isStored ||
      // The process may have ended before it noted that.
      (dataStats === null && (await uploads.find(refOf(record)).catch(() => null))?.state === 'there');
    const receivedBytes = isStored ? record.sizeBytes : (dataStats?.size ?? 0);
    if (receivedBytes > record.sizeBytes) return null;
    const upload = this.#create(id, { ...record, isStored }, receivedBytes);
    return { ...upload, isAccepted: true, changedAt: (dataStats ?? recordStats).mtime };
  }

  #create(id: string, record: UnfinishedRecord, receivedBytes = 0): Unfinished {
    const path = join(this.#options.folder, id, dataName);
    const file = new ReceivedFile(path, record.sizeBytes, receivedBytes);
    return { id, file, record, isAccepted: false, changedAt: this.#options.now(), storing: null };
  }

  async #write(upload: Unfinished, record: UnfinishedRecord): Promise<void> {
    upload.record = record;
    const path = join(this.#options.folder, upload.id, recordName);
    await replaceFile(path, (file) => file.write(JSON.stringify(record)));
  }

  async #remove({ id, file }: Unfinished, reason: VencError): Promise<void> {
    await file.close(reason);
    await rm(join(this.#options.folder, id), { recursive: true, force: true });
    this.#uploads.delete(id);
  }

  #announcedBytes(except: Unfinished | null): number {
    const announced = [...this.#uploads.values()].filter(
      (upload) =>
        upload !== except &&
        upload.isAccepted &&
        (upload.file.isActive || this.#ageMs(upload) < reservationMs),
    );
    return announced.reduce((sum, { file }) => sum + file.sizeBytes - file.receivedBytes, 0);
  }

  #ageMs({ changedAt }: Unfinished): number {
    return this.#options.now().getTime() - changedAt.getTime();
  }
}

function newRecord(
  { ownerId, name }: UploadKey,
  { sizeBytes }: FilePart,
  storeToken: string,
): UnfinishedRecord {
  return { ownerId, name, sizeBytes, storeToken, isStored: false };
}

/** The name of the folder of an upload. It reveals nothing. */
function idOf({ ownerId, name, token }: UploadKey): string {
  const identity = JSON.stringify([ownerId, name, token]);
  return createHash('sha256').update(identity).digest('hex').slice(0, 32);
}

function refOf({ storeToken, name }: UnfinishedRecord): FileRef {
  return { token: storeToken, name };
}

function stateOf({ file, record }: Unfinished): UploadState {
  const { receivedBytes, sizeBytes } = file;
  return { receivedBytes, sizeBytes, ref: record.isStored ? refOf(record) : null };
}

function parseRecord(text: string): UnfinishedRecord | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return null;
    const { ownerId, name, sizeBytes, storeToken, isStored } = value;
    const isRecord =
      [ownerId, name, storeToken].every((field) => typeof field === 'string') &&
      Number.isSafeInteger(sizeBytes) &&
      typeof isStored === 'boolean';
    return isRecord ? (value as unknown as UnfinishedRecord) : null;
  } catch {
    return null;
  }
}

/** Settles as the promise does, or rejects with the reason of the signal. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (signal.aborted) reject(signal.reason);
  });
  return Promise.race([promise, aborted]);
}
