import { PutObjectCommand, type PutObjectCommandInput } from '@aws-sdk/client-s3';
import type { ProgressReporter, Transfer } from '../../transfer/transfer.js';
import { grantsFor, isDefaultGrant, type ObjectGrants } from './grants.js';
import { isAclUnsupported } from './map-storage-error.js';
import type { StorageSession } from './storage-session.js';

/** Options and state of the upload of one object. */
export interface ObjectUploadContext {
  readonly session: StorageSession;
  /** The destination URL. May contain secrets. */
  readonly url: string;
  readonly signal: AbortSignal;
  readonly progress: ProgressReporter;
  readonly onWarning: NonNullable<Transfer['onWarning']>;
  /** Common parameters of the upload requests. */
  readonly head: { readonly Bucket: string; readonly Key: string } & HeaderParameters;
  /** Maximum number of parts that are sent in parallel. */
  readonly parallelParts: number;
  readonly grants: ObjectGrants;
  readonly state: ObjectUploadState;
}

/** The state of the object on the server. */
interface ObjectUploadState {
  /** ETag of the object if a request without a response has succeeded; null before the first such request. */
  submittedEtag: string | null;
  /** The server has confirmed the object. */
  isDelivered: boolean;
  /** The server does not support grants, and the job requested none. */
  isAclDisabled: boolean;
}

/**
 * Creates the context of an upload that has not started. By default it has the default grants, and reports neither
 * progress nor warnings.
 */
export function createObjectUploadContext(
  fields: Omit<ObjectUploadContext, 'state' | 'progress' | 'onWarning' | 'grants'> &
    Partial<Pick<ObjectUploadContext, 'progress' | 'onWarning' | 'grants'>>,
): ObjectUploadContext {
  return {
    progress: { update: () => {}, complete: () => {} },
    onWarning: () => {},
    grants: grantsFor(undefined),
    ...fields,
    state: { submittedEtag: null, isDelivered: false, isAclDisabled: false },
  };
}

/**
 * Sends a request with the grants of the object. Default grants are omitted if the server does not support grants or
 * the keys may not set them. Grants that the job requested are never omitted.
 */
export async function withGrants<Result>(
  { grants, state }: ObjectUploadContext,
  send: (grants: ObjectGrants) => Promise<Result>,
): Promise<Result> {
  if (state.isAclDisabled) return send({});
  try {
    return await send(grants);
  } catch (error) {
    if (!isDefaultGrant(grants) || !isAclUnsupported(error)) throw error;
    const response = await send({});
    state.isAclDisabled = true;
    return response;
  }
}

/** The headers of an object, as parameters of the commands that create it. */
type HeaderParameters = Partial<
  Pick<
    PutObjectCommandInput,
    | 'CacheControl'
    | 'ContentDisposition'
    | 'ContentEncoding'
    | 'ContentType'
    | 'Expires'
    | 'Metadata'
    | 'ServerSideEncryption'
    | 'StorageClass'
    | 'Tagging'
  >
>;

const names: Readonly<Record<string, keyof HeaderParameters>> = {
  'cache-control': 'CacheControl',
  'content-disposition': 'ContentDisposition',
  'content-encoding': 'ContentEncoding',
  'content-type': 'ContentType',
  'x-amz-server-side-encryption': 'ServerSideEncryption',
  'x-amz-storage-class': 'StorageClass',
  'x-amz-tagging': 'Tagging',
};
/** Google Cloud Storage accepts its metadata under the names of S3. */
const metadataPrefix = /^x-(?:amz|goog)-meta-/;

/**
 * Converts the headers of a transfer, by name in lower case. The SDK builds the headers of a request only from
 * parameters.
 */
export function headerParameters(headers: Readonly<Record<string, string>> = {}): HeaderParameters {
  const entries = Object.entries(headers);
  const metadata = entries.flatMap(([name, value]) =>
    metadataPrefix.test(name) ? [[name.replace(metadataPrefix, ''), value] as const] : [],
  );
  const parameters = entries.flatMap(([name, value]) => {
    const parameter = names[name];
    return parameter === undefined ? [] : [[parameter, value] as const];
  });
  return {
    ...Object.fromEntries(parameters),
    ...(headers.expires === undefined ? {} : { Expires: new Date(headers.expires) }),
    ...(metadata.length === 0 ? {} : { Metadata: Object.fromEntries(metadata) }),
  };
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
