import type { ProgressReporter } from '../../transfer/transfer.js';
import { isDefaultGrant, type ObjectGrants } from './grants.js';
import { isAclUnsupported } from './map-storage-error.js';
import type { StorageSession } from './storage-session.js';

/** One object on its way to its bucket. */
export interface ObjectUploadContext {
  readonly session: StorageSession;
  /** Where it is to go, with whatever secrets that holds. */
  readonly url: string;
  readonly signal: AbortSignal;
  readonly progress: ProgressReporter;
  /** What the object is to be beside its bytes. */
  readonly head: { readonly Bucket: string; readonly Key: string; readonly ContentType: string };
  readonly grants: ObjectGrants;
  readonly state: ObjectUploadState;
}

/** What stands at the server by now. */
export interface ObjectUploadState {
  /** The tag that the object would have if a request was carried out whose answer has not come; null before there was one. */
  submittedEtag: string | null;
  /** The server has confirmed the object. */
  isDelivered: boolean;
  /** The server knows no grants, and none were asked for. */
  isAclDisabled: boolean;
}

/** Begins with nothing at the server. */
export function createObjectUploadContext(fields: Omit<ObjectUploadContext, 'state'>): ObjectUploadContext {
  return { ...fields, state: { submittedEtag: null, isDelivered: false, isAclDisabled: false } };
}

/**
 * Sends a request with the grants of the object. Where those are the ones that nobody asked for, and the server knows no grants or the keys may set
 * none, it is sent without: what somebody asked for is never left out.
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
