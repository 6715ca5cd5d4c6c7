import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../src/shared/util/atomic-files.js';
import { isObject } from '../../src/shared/util/is-object.js';
import type { KeyedMutex } from '../../src/shared/util/keyed-mutex.js';
import type { FileFacts } from '../jobs/job.js';

/** Options of a hosted file store. */
export interface HostedFileStoreOptions {
  readonly now: () => Date;
  /** An unguessable token of letters and digits. */
  readonly randomToken: () => string;
  /** How long a body may send nothing before it is given up, in milliseconds. */
  readonly stallTimeoutMs: number;
  /** How long a file stays; 24 hours where it is not given. */
  readonly retentionSeconds?: number;
  /** Room that receiving leaves on the volume for everything else; none where it is not given. */
  readonly minFreeBytes?: number;
}

/**
 * What the parts of a hosted file store share. Its folder holds TOKEN/NAME, and two folders of its own whose names are no tokens:
 * unfinished files, and what is known about received ones.
 */
export interface HostedFileStoreState extends Required<HostedFileStoreOptions> {
  readonly folder: string;
  readonly mutex: KeyedMutex<string>;
}

/** Folder of the files that are not yet whole; each is named after its token. */
export function unfinishedFolder(state: HostedFileStoreState): string {
  return join(state.folder, '.unfinished');
}

/** Folder of what is known about received files, one document a token. */
export function recordsFolder(state: HostedFileStoreState): string {
  return join(state.folder, '.records');
}

/** Whether a file that was put down at a time is past its own. */
export function isExpired(state: HostedFileStoreState, modifiedAt: Date): boolean {
  return state.now().getTime() - modifiedAt.getTime() >= state.retentionSeconds * 1000;
}

/** What is known about a received file. */
export interface UploadRecord extends FileFacts {
  readonly ownerId: string;
}

/** Keeps what is known about a received file, durably. Done before the file gets its name, so that no file lacks an owner. */
export async function writeRecord(
  state: HostedFileStoreState,
  token: string,
  record: UploadRecord,
): Promise<void> {
  await mkdir(recordsFolder(state), { recursive: true, mode: 0o700 });
  await replaceFile(recordPath(state, token), (file) => file.write(JSON.stringify(record)));
}

/** What is known about the file of a token; null where nothing is, or nothing that can be read. */
export async function readRecord(state: HostedFileStoreState, token: string): Promise<UploadRecord | null> {
  try {
    const value: unknown = JSON.parse(await readFile(recordPath(state, token), 'utf8'));
    return isUploadRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** Forgets what is known about the file of a token. */
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
