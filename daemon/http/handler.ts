import type { Workshop } from '../actions/app-context.js';
import type { Exchange, Reply } from './request-context.js';

/** The account that a request speaks for. */
export type RequestAccount = NonNullable<ReturnType<Workshop['accounts']['account']>>;

/** Answers a route that needs a key, which is known by its short id. */
export type Handler = (
  workshop: Workshop,
  exchange: Exchange,
  account: RequestAccount,
  keyId: string,
) => Promise<Reply>;

/** Answers a route that needs none. */
export type OpenHandler = (workshop: Workshop, exchange: Exchange) => Promise<Reply>;
