import { PutObjectCommand } from '@aws-sdk/client-s3';
import { grantsFor } from './grants.js';
import { createObjectUploadContext, type ObjectUploadContext, withGrants } from './object-upload-context.js';
import type { StorageSession } from './storage-session.js';

/** An object to upload for the daemon itself, and not for a job. */
interface OwnObject {
  /** The destination URL. May contain secrets. */
  readonly url: string;
  readonly contentType: string;
  readonly signal: AbortSignal;
  /** Maximum number of parts that are sent in parallel. */
  readonly parallelParts?: number;
}

/** The context of an upload with the default grants and without a report of its progress. */
export function ownUpload(
  session: StorageSession,
  { url, contentType, signal, parallelParts = 1 }: OwnObject,
): ObjectUploadContext {
  const { bucket: Bucket, key: Key } = session.location;
  return createObjectUploadContext({
    onWarning: () => {},
    session,
    url,
    signal,
    progress: { update: () => {}, complete: () => {} },
    head: { Bucket, Key, ContentType: contentType },
    grants: grantsFor(undefined),
    parallelParts,
  });
}

/** Uploads an object from memory in one request. */
export async function putBytes(upload: ObjectUploadContext, Body: Uint8Array): Promise<void> {
  const { session, head, signal } = upload;
  await session.send(
    ({ client, signal: abortSignal }) =>
      withGrants(upload, (grants) =>
        client.send(new PutObjectCommand({ ...head, ...grants, Body }), { abortSignal }),
      ),
    { signal },
  );
}
