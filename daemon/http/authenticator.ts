import { isVencError, VencError } from '../../src/shared/errors.js';
import type { Route } from '../../src/shared/routes.js';
import { isObject } from '../../src/shared/util/is-object.js';
import type { AppContext } from '../actions/app-context.js';
import { keyInAuthorization } from './metrics.js';
import type { RequestContext } from './request-context.js';

type KeyHolder = NonNullable<ReturnType<AppContext['accounts']['holderOf']>>;

/** The result of authentication: the holder of a valid key, or what was wrong. */
export interface Authentication {
  readonly holder: KeyHolder | null;
  readonly isKeyPresent: boolean;
  /** Why the body could not be read if it was the last place to look for a key; empty otherwise. */
  readonly bodyErrors: readonly string[];
}

type Socket = RequestContext['incoming']['socket'];
type KeyDigest = ReturnType<AppContext['accounts']['digestOf']>;

/** Finds the account of a request. */
export class Authenticator {
  readonly #appContext: Pick<AppContext, 'accounts'>;
  /**
   * The latest key of each connection. Most connections send the same key with every request, and hashing it
   * is a large part of a small answer.
   */
  readonly #latest = new WeakMap<Socket, { readonly key: string; readonly digest: KeyDigest }>();

  constructor(appContext: Pick<AppContext, 'accounts'>) {
    this.#appContext = appContext;
  }

  /**
   * Authenticates a request (section 5). Looks for the key in the header, the query and the body; the first
   * one present decides. Returns a promise only if the body has to be read, or if the key is unknown and may
   * just have been created.
   */
  authenticate(
    requestContext: RequestContext,
    route: Pick<Route, 'key'>,
  ): Authentication | Promise<Authentication> {
    const { headers } = requestContext.incoming;
    const key =
      headers['service-api-key'] ??
      headers['zencoder-api-key'] ??
      (route.key === 'owner' ? keyInAuthorization(headers) : null) ??
      requestContext.query('api_key');
    if (key !== null) return this.#findHolder(requestContext, String(key));
    return hasBody(requestContext.incoming) ? this.#keyInBody(requestContext) : noKey;
  }

  #findHolder(requestContext: RequestContext, key: string): Authentication | Promise<Authentication> {
    const { accounts } = this.#appContext;
    const digest = this.#digestOf(requestContext.incoming.socket, key);
    const found = () => ({ ...noKey, holder: accounts.holderOfDigest(digest), isKeyPresent: true });
    const known = found();
    return known.holder === null ? accounts.refresh().then(found) : known;
  }

  #digestOf(socket: Socket, key: string): KeyDigest {
    const latest = this.#latest.get(socket);
    if (latest?.key === key) return latest.digest;
    const digest = this.#appContext.accounts.digestOf(key);
    this.#latest.set(socket, { key, digest });
    return digest;
  }

  async #keyInBody(requestContext: RequestContext): Promise<Authentication> {
    try {
      const body = await requestContext.body();
      const key = isObject(body) ? body.api_key : undefined;
      return typeof key === 'string' ? this.#findHolder(requestContext, key) : noKey;
    } catch (error) {
      return { ...noKey, bodyErrors: isVencError(error) ? error.messages : [] };
    }
  }
}

const noKey: Authentication = { holder: null, isKeyPresent: false, bodyErrors: [] };

/**
 * Rejects a request that is not authorized. A missing or unknown key is 401 on collections, and 404 on
 * addresses with an id, as if that did not exist. A read-only key is 403 where a full one is needed. The key
 * may be in a body that cannot be read: the errors of the body are then listed too.
 */
export function authorize(route: Route, { holder, isKeyPresent, bodyErrors }: Authentication): KeyHolder {
  if (holder === null) {
    if (route.path.includes(':id'))
      throw authError('NotFoundError', 'There is nothing with this id for this API key.', bodyErrors);
    const message = isKeyPresent
      ? 'The API key is not known.'
      : 'The API key is missing: send it in the header Service-Api-Key.';
    throw authError('UnauthorizedError', message, bodyErrors);
  }
  if (holder.kind === 'read-only' && route.key !== 'read') {
    throw new VencError(
      'ForbiddenError',
      'This needs a full access key; the one given may only read inputs and outputs.',
    );
  }
  return holder;
}

function authError(
  errorClass: 'NotFoundError' | 'UnauthorizedError',
  message: string,
  bodyErrors: Authentication['bodyErrors'],
): VencError {
  return new VencError(errorClass, message, { messages: [message, ...bodyErrors] });
}

function hasBody({ headers }: RequestContext['incoming']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
