import type { Meter } from '../../transfer/progress-reporter.js';
import { isDefaultGrant, type ObjectGrants } from './grants.js';
import type { StorageSession } from './session.js';
import { knowsNoGrants } from './trouble.js';

/** One object on its way to its bucket. */
export interface Outgoing {
  readonly session: StorageSession;
  /** Where it is to go, with whatever secrets that holds. */
  readonly url: string;
  readonly signal: AbortSignal;
  readonly meter: Meter;
  /** What the object is to be beside its bytes. */
  readonly head: { readonly Bucket: string; readonly Key: string; readonly ContentType: string };
  readonly grants: ObjectGrants;
  readonly standing: Standing;
}

/** What stands at the server by now. */
export interface Standing {
  /** The tag that the object would have if a request was carried out whose answer has not come; null before there was one. */
  offered: string | null;
  /** The server has confirmed the object. */
  isDelivered: boolean;
  /** The server knows no grants, and none were asked for. */
  isWithoutGrants: boolean;
}

/** Begins with nothing at the server. */
export function createOutgoing(parts: Omit<Outgoing, 'standing'>): Outgoing {
  return { ...parts, standing: { offered: null, isDelivered: false, isWithoutGrants: false } };
}

/**
 * Sends a request with the grants of the object. Where those are the ones that nobody asked for, and the server knows no grants or the keys may set
 * none, it is sent without: what somebody asked for is never left out.
 */
export async function withGrants<Answer>(
  { grants, standing }: Outgoing,
  send: (grants: ObjectGrants) => Promise<Answer>,
): Promise<Answer> {
  if (standing.isWithoutGrants) return send({});
  try {
    return await send(grants);
  } catch (error) {
    if (!isDefaultGrant(grants) || !knowsNoGrants(error)) throw error;
    const answer = await send({});
    standing.isWithoutGrants = true;
    return answer;
  }
}
