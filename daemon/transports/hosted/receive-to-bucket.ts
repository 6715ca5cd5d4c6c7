import { createHash } from 'node:crypto';
import { isVencError, VencError } from '../../../src/shared/errors.js';
import { formatBytes } from '../../../src/shared/text/numbers.js';
import { timeoutSignal } from '../../../src/shared/util/timing.js';
import { validateFileName } from '../../hosted-files/file-ref.js';
import type { FileRef } from '../../hosted-files/hosted-file-store.js';
import type { UploadRecord } from '../../hosted-files/hosted-file-store-state.js';
import { type IncomingUpload, receivedChunks } from '../../hosted-files/store-upload.js';
import type { FileFactsWithMd5 } from '../../jobs/job.js';
import { contentTypeOf } from '../../transfer/content-type.js';
import { putBytes } from '../s3/object-upload-context.js';
import { maxUnknownBytes, uploadInParts } from '../s3/upload-in-parts.js';
import {
  type BucketFileStoreState,
  objectPath,
  recordPath,
  renewUpload,
  type StoredUpload,
} from './bucket-file-store-state.js';

/** A file up to this size is uploaded with one request. */
const maxSingleBytes = 8 * 1024 * 1024;
/** With larger files the parts would need too much memory: a server takes 10,000 parts of a file. */
const maxUploadBytes = 640_000_000_000;
/** Each upload keeps two parts in memory. */
const maxConcurrentUploads = 32;
const retryAfterSeconds = 5;

/** Runs a write of the files of a token. */
type RunWrite = <T>(token: string, work: () => Promise<T>) => Promise<T>;

/**
 * Streams a body into the bucket, in parts that are kept in memory until the server has confirmed them. The record of
 * the file is written before the file gets its name, so that every file has an owner. If it fails, no file is left.
 */
export async function receiveToBucket(
  state: BucketFileStoreState,
  upload: IncomingUpload,
  runWrite: RunWrite,
): Promise<FileRef & FileFactsWithMd5> {
  const { body, name, signal } = upload;
  const validationError = validateFileName(name);
  if (validationError !== null)
    throw new VencError('InvalidRequestError', `the file name ${validationError}`);
  signal.throwIfAborted();
  // The body may fail before the first read, and an unhandled 'error' event would end the daemon.
  body.on('error', () => undefined);
  const ref = { token: state.randomToken(), name };
  let clientError: unknown = null;
  const rememberError = (error: unknown): never => {
    clientError = error;
    throw error;
  };
  try {
    checkLimits(state, upload);
    const facts = await runWrite(ref.token, () => storeBody(state, upload, ref, rememberError));
    return { ...ref, ...facts };
  } catch (error) {
    // Drain the body so that the client can read the response: destroying it would close the connection.
    body.resume();
    signal.throwIfAborted();
    const isOfBucket = error !== clientError && !isVencError(error, 'PayloadTooLargeError');
    throw isOfBucket ? state.availability.failed(error) : error;
  }
}

function checkLimits(state: BucketFileStoreState, { declaredBytes }: IncomingUpload): void {
  if (declaredBytes > maxUploadBytes) throw tooLargeError(maxUploadBytes);
  if (state.activeTokens.size < maxConcurrentUploads) return;
  const message = `The daemon receives ${maxConcurrentUploads} uploads at the moment: try again later.`;
  throw new VencError('UnavailableError', message, { retryAfterSeconds });
}

function tooLargeError(bytes: number, advice = ''): VencError {
  const message = `An upload may have at most ${formatBytes(bytes)}${advice}.`;
  return new VencError('PayloadTooLargeError', message);
}

async function storeBody(
  state: BucketFileStoreState,
  { body, ownerId, signal, declaredBytes }: IncomingUpload,
  ref: FileRef,
  onBodyError: (error: unknown) => never,
): Promise<FileFactsWithMd5> {
  const { folder, stallTimeoutMs } = state;
  const measured = measure(receivedChunks(body, { signal, stallTimeoutMs }), declaredBytes, onBodyError);
  const { chunks } = measured;
  let isRecorded = false;
  const writeRecord = async () => {
    isRecorded = true;
    const record: StoredUpload = { ownerId, ...measured.facts(), storedAt: state.now().toISOString() };
    await folder.writeText(recordPath(state, ref.token), JSON.stringify(record), signal);
  };
  const object = folder.startUpload(objectPath(state, ref), contentTypeOf(ref.name), signal);
  try {
    const { head, hasEnded } = await readHead(chunks);
    if (hasEnded) {
      await writeRecord();
      await putBytes(object, Buffer.concat(head));
    } else {
      const source = {
        sizeBytes: declaredBytes === 0 ? null : declaredBytes,
        chunks: withHead(head, chunks),
      };
      const { cleanupJournal } = folder.options;
      await uploadInParts(object, source, { cleanupJournal, stallTimeoutMs, beforeComplete: writeRecord });
    }
    return measured.facts();
  } catch (error) {
    await chunks.return();
    if (isRecorded) await discard(state, ref);
    throw error;
  }
}

/** A finished upload on the disk of the daemon. */
interface FinishedUpload {
  readonly fromPath: string;
  readonly ref: FileRef;
  readonly record: UploadRecord;
  readonly signal: AbortSignal;
}

/** Copies a finished upload into the bucket, after its record. If that fails, nothing of it is left there. */
export async function keepInBucket(
  state: BucketFileStoreState,
  { fromPath, ref, record, signal }: FinishedUpload,
): Promise<void> {
  const { folder } = state;
  try {
    const stored: StoredUpload = { ...record, storedAt: state.now().toISOString() };
    await folder.writeText(recordPath(state, ref.token), JSON.stringify(stored), signal);
    await folder.upload(fromPath, objectPath(state, ref), { signal, onProgress: () => {} });
    // A large file takes a while.
    await renewUpload(state, ref.token, signal);
  } catch (error) {
    await discard(state, ref);
    signal.throwIfAborted();
    throw state.availability.failed(error);
  }
}

/** Measures the bytes that pass, and ends those of a body that is too long. */
function measure(
  received: AsyncIterable<Uint8Array>,
  declaredBytes: number,
  onBodyError: (error: unknown) => never,
) {
  const hash = createHash('md5');
  let sizeBytes = 0;
  const chunks = async function* (): AsyncGenerator<Uint8Array, void> {
    const iterator = received[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await iterator.next().catch(onBodyError);
        if (next.done === true) return;
        hash.update(next.value);
        sizeBytes += next.value.byteLength;
        if (declaredBytes === 0 && sizeBytes > maxUnknownBytes)
          throw tooLargeError(maxUnknownBytes, ' without a Content-Length');
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  };
  return {
    chunks: chunks(),
    facts: (): FileFactsWithMd5 => ({ sizeBytes, md5: hash.copy().digest('hex') }),
  };
}

/** Reads the beginning of a body, or all of a short one. */
async function readHead(chunks: AsyncIterator<Uint8Array>) {
  const head: Uint8Array[] = [];
  for (let bytes = 0; bytes <= maxSingleBytes; ) {
    const next = await chunks.next();
    if (next.done === true) return { head, hasEnded: true };
    head.push(next.value);
    bytes += next.value.byteLength;
  }
  return { head, hasEnded: false };
}

async function* withHead(head: Uint8Array[], chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Removed from the list, so that a long upload does not keep its beginning in memory.
  for (let chunk = head.shift(); chunk !== undefined; chunk = head.shift()) yield chunk;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
}

/** Deletes what an upload may have left that failed while it was completed. Whatever remains expires. */
async function discard(state: BucketFileStoreState, ref: FileRef): Promise<void> {
  const { folder, stallTimeoutMs } = state;
  const signal = timeoutSignal(stallTimeoutMs);
  for (const path of [objectPath(state, ref), recordPath(state, ref.token)])
    await folder.remove(path, signal).catch(() => {});
}
