import { isVencError } from '../../../src/shared/errors.js';
import { timeoutSignal } from '../../../src/shared/util/timing.js';
import type { FileRef } from '../../hosted-files/hosted-file-store.js';
import {
  type HostedFileStoreOptions,
  parseRecord,
  type UploadRecord,
} from '../../hosted-files/hosted-file-store-state.js';
import { type BucketAvailability, maxRequestMs } from './bucket-availability.js';
import type { BucketFolder } from './bucket-folder.js';

/** Options of a hosted file store in a bucket. */
export interface BucketFileStoreOptions
  extends Omit<HostedFileStoreOptions, 'minFreeBytes' | 'announcedBytes'> {
  readonly folder: BucketFolder;
  readonly availability: BucketAvailability;
  /** Folder of this store in that of the bucket. */
  readonly kind: 'hosted' | 'uploads';
}

/**
 * State shared by the parts of a hosted file store in a bucket. Its folder contains the files at TOKEN/NAME, and two
 * internal folders whose names are not valid tokens: the records of uploads (`.records/TOKEN.json`), and the markers of
 * expired tokens (`.expired/TOKEN`), which make `find` return `gone`.
 */
export interface BucketFileStoreState extends Required<BucketFileStoreOptions> {
  /** Tokens whose files are being written, with the number of writes. Their files do not expire meanwhile. */
  readonly activeTokens: Map<string, number>;
}

/** The record of an uploaded file, and when it was complete. */
export interface StoredUpload extends UploadRecord {
  /** ISO 8601 in UTC. A server may report the beginning of a multipart upload as the time of its object. */
  readonly storedAt: string;
}

/** The path of a file in the folder of the bucket. */
export function objectPath({ kind }: BucketFileStoreState, { token, name }: FileRef): string {
  return `${kind}/${token}/${name}`;
}

/** The path of the record of a token. */
export function recordPath({ kind }: BucketFileStoreState, token: string): string {
  return `${kind}/.records/${token}.json`;
}

/** The path of the marker of an expired token. */
export function expiredPath({ kind }: BucketFileStoreState, token: string): string {
  return `${kind}/.expired/${token}`;
}

/** Reads the record of a token; null if it is missing or invalid. */
export async function readStoredUpload(
  state: BucketFileStoreState,
  token: string,
  signal: AbortSignal,
): Promise<StoredUpload | null> {
  const text = await state.folder.readText(recordPath(state, token), signal);
  const record = text === null ? null : parseRecord(text);
  return record !== null && 'storedAt' in record && typeof record.storedAt === 'string'
    ? { ...record, storedAt: record.storedAt }
    : null;
}

/** Starts the retention time of an upload again, if it is there. */
export async function renewUpload(
  state: BucketFileStoreState,
  token: string,
  signal: AbortSignal,
): Promise<void> {
  const found = await readStoredUpload(state, token, signal);
  if (found === null) return;
  const record: StoredUpload = { ...found, storedAt: state.now().toISOString() };
  await state.folder.writeText(recordPath(state, token), JSON.stringify(record), signal);
}

/** Makes requests that a client waits for. Rejects with `UnavailableError` if the bucket cannot be used. */
export async function ask<T>(
  { availability }: BucketFileStoreState,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await work(timeoutSignal(maxRequestMs));
  } catch (error) {
    if (isVencError(error) && error.errorClass === 'UnavailableError') throw error;
    throw availability.failed(error);
  }
}
