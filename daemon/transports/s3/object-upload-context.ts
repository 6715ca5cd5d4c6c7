import type { ProgressReporter, Transfer } from '../../transfer/transfer.js';
import { isDefaultGrant, type ObjectGrants } from './grants.js';
import type { HeaderParameters } from './header-parameters.js';
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

/** Creates the context of an upload that has not started. */
export function createObjectUploadContext(fields: Omit<ObjectUploadContext, 'state'>): ObjectUploadContext {
  return { ...fields, state: { submittedEtag: null, isDelivered: false, isAclDisabled: false } };
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
