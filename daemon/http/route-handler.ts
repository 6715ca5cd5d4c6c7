import type { AppContext } from '../actions/app-context.js';
import type { Reply, RequestContext } from './request-context.js';

/** The account that a request speaks for. */
export type RequestAccount = NonNullable<ReturnType<AppContext['accounts']['account']>>;

/** Answers a route that needs a key, which is known by its short id. */
export type RouteHandler = (
  appContext: AppContext,
  requestContext: RequestContext,
  account: RequestAccount,
  keyId: string,
) => Promise<Reply>;

/** Answers a route that needs none. */
export type PublicRouteHandler = (appContext: AppContext, requestContext: RequestContext) => Promise<Reply>;
