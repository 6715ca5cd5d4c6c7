import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { Semaphore } from '../../../src/shared/util/semaphore.js';
import type { CleanupJournal } from '../../transfer/cleanup-journal.js';
import { withCleanupLimit } from '../../transfer/with-retry.js';
import { parseS3Error, transferFailure } from './map-storage-error.js';
import { hasEtag } from './object.js';
import { type ObjectUploadContext, withGrants } from './object-upload-context.js';
import type { StorageSession } from './storage-session.js';

/** An uploaded part. */
interface DonePart {
  readonly PartNumber: number;
  readonly ETag: string;
}

/** The bytes of an object that is uploaded in parts. */
interface PartsSource {
  /** Null if it is unknown. */
  readonly sizeBytes: number | null;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Options of a multipart upload. */
interface UploadInPartsOptions {
  readonly cleanupJournal: CleanupJournal;
  readonly stallTimeoutMs: number;
  readonly cleanupEnd?: AbortSignal;
  /** Called when all parts have been sent, before the object gets its name. */
  readonly beforeComplete?: () => Promise<void>;
}

/**
 * Uploads an object as a multipart upload with concurrent parts. Each part is kept in memory until the server has
 * confirmed it. If the upload fails, it is aborted on the server. The cleanup journal covers the case that this program
 * is killed.
 */
export async function uploadInParts(
  upload: ObjectUploadContext,
  source: PartsSource,
  { cleanupJournal, beforeComplete, ...limits }: UploadInPartsOptions,
): Promise<void> {
  const { session, url } = upload;
  const id = await begin(upload);
  const removeEntry = await cleanupJournal.add({ url, name: id });
  try {
    const parts = await sendParts(upload, id, source);
    await beforeComplete?.();
    await complete(upload, id, parts);
  } catch (error) {
    const isAborted = await withCleanupLimit(limits, (signal) => abortUpload(session, id, signal)).then(
      () => true,
      () => false,
    );
    // If the abort fails, the journal entry stays for the next start.
    if (isAborted) await removeEntry();
    throw error;
  }
  await removeEntry();
}

/** Aborts a multipart upload. No-op if absent. */
export async function abortUpload(session: StorageSession, id: string, signal: AbortSignal): Promise<void> {
  const { bucket: Bucket, key: Key } = session.location;
  const command = new AbortMultipartUploadCommand({ Bucket, Key, UploadId: id });
  await session.send(
    async (request) => {
      await request.client.send(command, { abortSignal: request.signal }).catch((error: unknown) => {
        if (parseS3Error(error)?.status !== 404) throw error;
      });
    },
    { signal },
  );
}

async function begin(upload: ObjectUploadContext): Promise<string> {
  const { session, head, signal } = upload;
  const { UploadId } = await session.send(
    ({ client, signal: abortSignal }) =>
      withGrants(upload, (grants) =>
        client.send(new CreateMultipartUploadCommand({ ...head, ...grants }), { abortSignal }),
      ),
    { signal },
  );
  if (UploadId === undefined)
    throw transferFailure('upload', `${session.host} did not start a multipart upload.`);
  return UploadId;
}

async function sendParts(
  upload: ObjectUploadContext,
  id: string,
  { sizeBytes, chunks: source }: PartsSource,
): Promise<readonly DonePart[]> {
  const { signal, progress } = upload;
  const plan = planParts(sizeBytes);
  const stopped = new AbortController();
  const chunks = source[Symbol.asyncIterator]();
  const reading = new Semaphore(1);
  const done: DonePart[] = [];
  /** Bytes sent, by part number. */
  const sentBytes: number[] = [];
  let startedParts = 0;
  let unread: Uint8Array = Buffer.alloc(0);
  let hasEnded = false;

  /** Fills a buffer from the source. Resolves to the part number and its bytes, or to null at the end. */
  const fill = async (buffer: Buffer): Promise<readonly [number, Buffer] | null> => {
    if (startedParts === plan.count || hasEnded) return null;
    let filledBytes = 0;
    for (;;) {
      const copiedBytes = Math.min(unread.byteLength, buffer.byteLength - filledBytes);
      buffer.set(unread.subarray(0, copiedBytes), filledBytes);
      unread = unread.subarray(copiedBytes);
      filledBytes += copiedBytes;
      if (filledBytes === buffer.byteLength) break;
      const next = await chunks.next();
      stopped.signal.throwIfAborted();
      hasEnded = next.done === true;
      if (next.done === true) break;
      unread = next.value;
    }
    if (filledBytes === 0 && startedParts > 0) return null;
    startedParts += 1;
    return [startedParts, buffer.subarray(0, filledBytes)];
  };
  const uploadNextParts = async (): Promise<void> => {
    // One buffer for all parts of this worker bounds the memory for files of any size.
    const buffer = Buffer.allocUnsafeSlow(plan.partBytes);
    for (;;) {
      const part = await reading.runExclusive(() => fill(buffer));
      if (part === null) return;
      const [number, Body] = part;
      const onSent = (partBytes: number): void => {
        sentBytes[number] = Math.max(sentBytes[number] ?? 0, partBytes);
        progress.update(
          sentBytes.reduce((sum, bytes) => sum + bytes, 0),
          sizeBytes,
        );
      };
      const both = AbortSignal.any([signal, stopped.signal]);
      const highWaterMarkBytes = () => sentBytes[number] ?? 0;
      done.push(await sendPart(upload, id, number, Body, { signal: both, onSent, highWaterMarkBytes }));
    }
  };
  const workers = Array.from({ length: Math.min(plan.concurrency, upload.parallelParts) }, () =>
    uploadNextParts().catch((error: unknown) => stopped.abort(error)),
  );
  await Promise.all(workers);
  await chunks.return?.();
  stopped.signal.throwIfAborted();
  return done.toSorted((a, b) => a.PartNumber - b.PartNumber);
}

async function sendPart(
  { session, head }: ObjectUploadContext,
  UploadId: string,
  PartNumber: number,
  Body: Buffer,
  options: Parameters<StorageSession['send']>[1],
): Promise<DonePart> {
  const { Bucket, Key } = head;
  const { ETag } = await session.send(
    ({ client, signal: abortSignal }) =>
      client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }), { abortSignal }),
    options,
  );
  if (ETag === undefined) throw transferFailure('upload', `${session.host} returned no ETag for a part.`);
  return { PartNumber, ETag };
}

async function complete(
  { session, head, signal, state }: ObjectUploadContext,
  UploadId: string,
  parts: readonly DonePart[],
): Promise<void> {
  const { Bucket, Key } = head;
  const command = { Bucket, Key, UploadId, MultipartUpload: { Parts: [...parts] } };
  const etag = multipartEtag(parts);
  signal.throwIfAborted();
  state.submittedEtag = etag;
  await session.send(
    async (request) => {
      const { client, signal: abortSignal } = request;
      try {
        await client.send(new CompleteMultipartUploadCommand(command), { abortSignal });
      } catch (error) {
        // An earlier attempt may have succeeded although its response was lost.
        if (parseS3Error(error)?.code !== 'NoSuchUpload' || !(await hasEtag(session, request, etag)))
          throw error;
      }
    },
    { signal },
  );
  state.isDelivered = true;
}

/** The ETag of a multipart object: the MD5 of the MD5s of its parts, and the number of parts. */
function multipartEtag(parts: readonly DonePart[]): string {
  const partDigests = parts.map(({ ETag }) => Buffer.from(ETag.replaceAll('"', ''), 'hex'));
  return `${createHash('md5').update(Buffer.concat(partDigests)).digest('hex')}-${parts.length}`;
}

/** Larger files use multipart uploads (contract, section 9). */
export const maxSingleBytes = 16 * 1024 * 1024;

const mebibyte = 1024 * 1024;
const minPartBytes = 8 * mebibyte;
/** Maximum number of parts in the service. */
const maxParts = 10_000;
/** Maximum memory for all parts being uploaded. */
const maxBufferedBytes = 32 * mebibyte;
const maxConcurrency = 4;

/** The size of a part if that of the object is unknown. It limits the object to 160 GiB. */
const partBytesOfUnknown = 16 * mebibyte;

/** The parts of a multipart upload. */
interface PartPlan {
  /** Size of every part except the last. */
  readonly partBytes: number;
  /** Infinite if the size of the object is unknown. */
  readonly count: number;
  /** How many parts are uploaded concurrently. */
  readonly concurrency: number;
}

/** The size up to which an object of unknown size can be uploaded. */
export const maxUnknownBytes = partBytesOfUnknown * maxParts;

/**
 * Divides an object into parts within the limits of the service and of memory. `sizeBytes` is null if it is unknown.
 */
export function planParts(sizeBytes: number | null): PartPlan {
  if (sizeBytes === null) {
    const concurrency = maxBufferedBytes / partBytesOfUnknown;
    return { partBytes: partBytesOfUnknown, count: Number.POSITIVE_INFINITY, concurrency };
  }
  const requiredPartBytes = Math.ceil(sizeBytes / maxParts / mebibyte) * mebibyte;
  const partBytes = Math.max(minPartBytes, requiredPartBytes);
  const count = Math.max(1, Math.ceil(sizeBytes / partBytes));
  const concurrency = Math.max(1, Math.min(maxConcurrency, count, Math.floor(maxBufferedBytes / partBytes)));
  return { partBytes, count, concurrency };
}
