import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../src/shared/util/atomic-files.js';
import { textFileOptions } from '../../src/shared/util/disk.js';
import { isObject } from '../../src/shared/util/is-object.js';
import type { KeyedMutex } from '../../src/shared/util/semaphore.js';
import { retentionSecondsOf } from '../jobs/hosted-retention.js';
import type { FileFactsWithMd5 } from '../jobs/job.js';
import { makeFolders } from '../transfer/folders.js';

/**
 * Why the files of a token are kept longer: a job reads them, so they count as there, or it has delivered them, and
 * their address answers 410.
 */
export type FileNeed = 'read' | 'delivered';

/** Options of a hosted file store. */
export interface HostedFileStoreOptions {
  readonly now: () => Date;
  /** Generates an unguessable token of letters and digits. */
  readonly randomToken: () => string;
  /** How long an upload may send nothing before it is aborted, in milliseconds. */
  readonly stallTimeoutMs: number;
  /**
   * Why jobs that have not ended need the files of a token; null by default. Called only for files whose time is over.
   */
  readonly needOf?: (token: string) => Promise<FileNeed | null>;
  /** Whether the time of files that are needed starts again, as that of uploads does; false by default. */
  readonly renewsNeeded?: boolean;
  /** Free space that uploads leave on the volume; 0 by default. */
  readonly minFreeBytes?: number;
  /** Space on the volume that unfinished uploads still need; 0 by default. */
  readonly announcedBytes?: () => number;
}

/**
 * State shared by the parts of a hosted file store. Its folder contains the files at TOKEN/NAME, and two internal
 * folders whose names are not valid tokens: the unfinished files, and the records of uploads. The folder of the uploads
 * also contains those that arrive in parts (`UnfinishedUploads`).
 */
export interface HostedFileStoreState extends Required<HostedFileStoreOptions> {
  readonly folder: string;
  readonly mutex: KeyedMutex<string>;
}

/** Folder of the incomplete files; each is named after its token. */
export function unfinishedFolder(state: HostedFileStoreState): string {
  return join(state.folder, '.unfinished');
}

/** Folder of the upload records, one JSON file per token. */
export function recordsFolder(state: HostedFileStoreState): string {
  return join(state.folder, '.records');
}

/** How long files that are needed and not renewed are left alone before the next check, in milliseconds. */
export const neededRecheckMs = 3_600_000;

/** The defaults of a store: no job needs anything. */
export const storeDefaults = {
  needOf: async () => null,
  renewsNeeded: false,
} as const;

/** When a file of a token with this modification time expires. */
export function expiryOfFile(token: string, modifiedAt: Date): Date {
  return new Date(modifiedAt.getTime() + retentionSecondsOf(token) * 1000);
}

/** Whether a file of a token with this modification time has expired. */
export function isExpired(
  { now }: Pick<HostedFileStoreState, 'now'>,
  token: string,
  modifiedAt: Date,
): boolean {
  return now().getTime() >= expiryOfFile(token, modifiedAt).getTime();
}

/** Owner, size and MD5 of an uploaded file. */
export interface UploadRecord extends FileFactsWithMd5 {
  readonly ownerId: string;
}

/**
 * Writes the record of an uploaded file durably. It is written before the file gets its final name, so that every file
 * has an owner.
 */
export async function writeRecord(
  state: HostedFileStoreState,
  token: string,
  record: UploadRecord,
): Promise<void> {
  await makeFolders(recordsFolder(state), 0o700);
  await replaceFile(recordPath(state, token), (file) => file.write(JSON.stringify(record)));
}

/** Reads the record of a token; null if it is missing or unreadable. */
export async function readRecord(state: HostedFileStoreState, token: string): Promise<UploadRecord | null> {
  const text = await readFile(recordPath(state, token), textFileOptions).catch(() => null);
  return text === null ? null : parseRecord(text);
}

/** Parses the record of an upload; null if it is invalid. */
export function parseRecord(text: string): UploadRecord | null {
  try {
    const value: unknown = JSON.parse(text);
    return isUploadRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Deletes the record of a token; no-op if absent. */
export async function removeRecord(state: HostedFileStoreState, token: string): Promise<void> {
  await rm(recordPath(state, token), { force: true });
}

function recordPath(state: HostedFileStoreState, token: string): string {
  return join(recordsFolder(state), `${token}.json`);
}

function isUploadRecord(value: unknown): value is UploadRecord {
  return (
    isObject(value) &&
    typeof value.ownerId === 'string' &&
    typeof value.sizeBytes === 'number' &&
    typeof value.md5 === 'string'
  );
}
