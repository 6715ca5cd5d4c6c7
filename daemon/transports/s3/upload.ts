import { PutObjectCommand } from '@aws-sdk/client-s3';
import { isVencError } from '../../../src/shared/errors.js';
import type { FileFacts } from '../../jobs/job.js';
import type { CleanupJournal } from '../../transfer/cleanup-journal.js';
import { contentTypeOf } from '../../transfer/content-type.js';
import { mapLocalDiskError } from '../../transfer/disk-errors.js';
import { createProgressReporter, type Transfer } from '../../transfer/transfer.js';
import { type TransferError, transientError } from '../../transfer/transfer-error.js';
import { UploadSource } from '../../transfer/upload-source.js';
import { withCleanupLimit, withRetry } from '../../transfer/with-retry.js';
import { grantOwnerFullControl, grantsFor } from './grants.js';
import { hasEtag, headObjectSize, removeS3Object } from './object.js';
import {
  createObjectUploadContext,
  headerParameters,
  type ObjectUploadContext,
  withGrants,
} from './object-upload-context.js';
import type { StorageSession, StorageSessionOptions } from './storage-session.js';
import { maxSingleBytes, uploadInParts } from './upload-in-parts.js';

/** Options of an upload to a bucket. */
interface StorageUploadOptions extends StorageSessionOptions {
  readonly cleanupJournal: CleanupJournal;
}

/**
 * Uploads a file to a bucket: in one request up to 16 MiB, else as a multipart upload. The signature of every request
 * includes a checksum of its body, which the server verifies. Finally the MD5 or the size of the object is checked. If
 * the upload fails or is aborted, no object is left.
 */
export async function uploadObject(
  session: StorageSession,
  fromPath: string,
  url: string,
  transfer: Transfer,
  options: StorageUploadOptions,
): Promise<FileFacts> {
  const { signal } = transfer;
  const { bucket: Bucket, key: Key } = session.location;
  const upload = createObjectUploadContext({
    session,
    url,
    signal,
    progress: createProgressReporter(transfer),
    head: { Bucket, Key, ...headerParameters({ 'content-type': contentTypeOf(Key), ...transfer.headers }) },
    grants: grantsFor(transfer.access, transfer.headers),
    onWarning: transfer.onWarning ?? (() => {}),
    parallelParts: transfer.parallelParts ?? Number.POSITIVE_INFINITY,
  });
  try {
    const file = await UploadSource.open(fromPath);
    try {
      return await uploadFile(upload, file, options);
    } finally {
      await file.close();
    }
  } catch (error) {
    await rollBack(upload, options);
    signal.throwIfAborted();
    throw mapLocalDiskError(error, 'upload');
  }
}

async function uploadFile(
  upload: ObjectUploadContext,
  file: UploadSource,
  options: StorageUploadOptions,
): Promise<FileFacts> {
  const { signal, progress } = upload;
  const attempt = async (): Promise<TransferError | null> => {
    let isVerified = false;
    if (file.sizeBytes <= maxSingleBytes) isVerified = await uploadInOnePart(upload, file);
    else {
      const source = { sizeBytes: file.sizeBytes, chunks: file.bytesFrom(0) };
      await uploadInParts(upload, source, options);
    }
    const transferError = isVerified ? null : await checkSize(upload, file);
    if (transferError === null && upload.grants.ACL === undefined) await grantOwner(upload);
    return transferError;
  };
  await withRetry({ attempt, highWaterMarkBytes: () => 0, signal }, options);
  signal.throwIfAborted();
  progress.complete(file.sizeBytes);
  return file.facts();
}

/** Resolves to whether the response has the MD5 of the file: the server then stored all of it. */
async function uploadInOnePart(upload: ObjectUploadContext, file: UploadSource): Promise<boolean> {
  const { session, signal, head, progress, state } = upload;
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.bytesFrom(0) as AsyncIterable<Uint8Array>) chunks.push(chunk);
  const [first, ...others] = chunks;
  const Body = first !== undefined && others.length === 0 ? first : Buffer.concat(chunks);
  const { md5 } = await file.facts();
  let highWaterMarkBytes = 0;
  const onSent = (bytes: number): void => {
    highWaterMarkBytes = Math.max(highWaterMarkBytes, bytes);
    if (bytes === file.sizeBytes) state.submittedEtag = md5;
    progress.update(bytes, file.sizeBytes);
  };
  if (file.sizeBytes === 0) state.submittedEtag = md5;
  const { ETag } = await session.send(
    ({ client, signal: abortSignal }) =>
      withGrants(upload, (grants) =>
        client.send(new PutObjectCommand({ ...head, ...grants, Body }), { abortSignal }),
      ),
    { signal, onSent, highWaterMarkBytes: () => highWaterMarkBytes },
  );
  state.isDelivered = true;
  return ETag?.replaceAll('"', '') === md5;
}

/** Grants the owner full control. The object is complete, so it stays if that fails, and there is a warning. */
async function grantOwner({ session, signal, onWarning }: ObjectUploadContext): Promise<void> {
  const reason = await session
    .send((request) => grantOwnerFullControl(session, request), { signal })
    .catch((error: unknown) => {
      signal.throwIfAborted();
      return isVencError(error) ? error.message.replace(/\.$/, '') : 'the request failed';
    });
  if (reason !== null)
    onWarning(`The owner of ${session.location.name} may lack full control of it: ${reason}.`);
}

async function checkSize(
  { session, signal, onWarning }: ObjectUploadContext,
  file: UploadSource,
): Promise<TransferError | null> {
  // The server has confirmed the object: if it does not report its size now, the object stays.
  const storedBytes = await session
    .send((request) => headObjectSize(session, request), { signal })
    .catch((error: unknown) => {
      signal.throwIfAborted();
      const reason = isVencError(error) ? error.message : 'The request failed.';
      onWarning(`The size of ${session.location.name} could not be checked. ${reason}`);
      return null;
    });
  if (storedBytes === null || storedBytes === file.sizeBytes) return null;
  const message = `${session.host} stored ${storedBytes} bytes of a file of ${file.sizeBytes}`;
  return transientError('UploadFailureError', `${message}: its disk may be full.`);
}

/**
 * Deletes the object if this upload created it, even if the response was lost.
 */
async function rollBack(
  { session, state }: ObjectUploadContext,
  options: StorageUploadOptions,
): Promise<void> {
  const { isDelivered, submittedEtag: offered } = state;
  if (!isDelivered && offered === null) return;
  const remove = (signal: AbortSignal) =>
    session.send(
      async (request) => {
        if (isDelivered || (await hasEtag(session, request, offered ?? '')))
          await removeS3Object(session, request);
      },
      { signal },
    );
  await withCleanupLimit(options, remove).catch(() => {});
}
