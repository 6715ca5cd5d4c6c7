import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../src/shared/util/atomic-files.js';
import { isObject } from '../../src/shared/util/is-object.js';
import type { FileFacts } from '../jobs/job.js';
import { type HostedFileStoreState, recordsFolder } from './hosted-file-store-state.js';

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
