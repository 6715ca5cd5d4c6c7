import type { IncomingHttpHeaders } from 'node:http';
import { isVencError, VencError } from '../../src/shared/errors.js';
import type { Route } from '../../src/shared/routes.js';
import { isObject } from '../../src/shared/util/is-object.js';
import { workerKeyPrefix } from '../../src/shared/version.js';
import type { AppContext } from '../actions/app-context.js';
import type { RequestContext } from './request-context.js';

type KeyHolder = NonNullable<ReturnType<AppContext['accounts']['holderOf']>>;
type WorkerKey = NonNullable<ReturnType<AppContext['accounts']['workerKeyOf']>>;

/** The result of authentication: the holder of a valid key, the worker key, or what was wrong. */
export interface Authentication {
  readonly holder: KeyHolder | null;
  /** The worker key of the request; on routes of workers, only one that was sent as a bearer token. */
  readonly workerKey: WorkerKey | null;
  readonly isKeyPresent: boolean;
  /** When the key of the request has expired; null for a valid or an unknown one. */
  readonly expiredAt: Date | null;
  /** Why the body could not be read if it was the last place to look for a key; empty otherwise. */
  readonly bodyErrors: readonly string[];
}

type Socket = RequestContext['incoming']['socket'];
type KeyDigest = ReturnType<AppContext['accounts']['digestOf']>;

/** Finds the account or the worker key of a request. */
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
   * one present decides. Routes of workers take it from `Authorization` alone. Returns a promise only if the
   * body has to be read, or if the key is unknown and may just have been created.
   */
  authenticate(
    requestContext: RequestContext,
    route: Pick<Route, 'key'>,
  ): Authentication | Promise<Authentication> {
    if (route.key === 'worker') return this.#authenticateWorker(requestContext);
    const { headers } = requestContext.incoming;
    const key =
      keyInHeader(headers) ??
      (route.key === 'owner' ? keyInAuthorization(headers) : null) ??
      requestContext.query('api_key') ??
      workerTokenOf(headers);
    if (key !== null) return this.#findHolder(requestContext, key);
    return hasBody(requestContext.incoming) ? this.#keyInBody(requestContext) : noKey;
  }

  #authenticateWorker(requestContext: RequestContext): Authentication | Promise<Authentication> {
    const { headers } = requestContext.incoming;
    const token = bearerToken(headers);
    if (token !== null) return this.#findHolder(requestContext, token);
    // Keys of accounts are looked for in their usual places only to say that this needs another kind of key.
    const key = keyInHeader(headers) ?? requestContext.query('api_key');
    if (key === null) return noKey;
    const found = this.#findHolder(requestContext, key);
    return found instanceof Promise ? found.then(withoutWorkerKey) : withoutWorkerKey(found);
  }

  #findHolder(requestContext: RequestContext, key: string): Authentication | Promise<Authentication> {
    const { accounts } = this.#appContext;
    const digest = this.#digestOf(requestContext.incoming.socket, key);
    const found = (): Authentication => {
      const holder = accounts.holderOfDigest(digest);
      const workerKey = holder === null ? accounts.workerKeyOf(digest) : null;
      const expiredAt = holder === null && workerKey === null ? accounts.expiryOf(digest) : null;
      return { holder, workerKey, isKeyPresent: true, expiredAt, bodyErrors: [] };
    };
    const known = found();
    const isKnown = known.holder !== null || known.workerKey !== null || known.expiredAt !== null;
    return isKnown ? known : accounts.refresh().then(found);
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

const noKey: Authentication = {
  holder: null,
  workerKey: null,
  isKeyPresent: false,
  expiredAt: null,
  bodyErrors: [],
};

function withoutWorkerKey(found: Authentication): Authentication {
  return found.workerKey === null ? found : noKey;
}

function keyInHeader(headers: RequestContext['incoming']['headers']): string | null {
  const key = headers['service-api-key'] ?? headers['zencoder-api-key'];
  return key === undefined ? null : String(key);
}

/**
 * A bearer token that has the form of a worker key. Routes that need the key of an account take no bearer token,
 * but the answer to a worker key can then say what it is for.
 */
function workerTokenOf(headers: RequestContext['incoming']['headers']): string | null {
  const token = bearerToken(headers);
  return token?.startsWith(workerKeyPrefix) === true ? token : null;
}

/**
 * Rejects a request that is not authorized. A missing or unknown key is 401 on collections, and 404 on
 * addresses with an id, as if that did not exist. An expired key is 401 everywhere: its holder may know that. A
 * read-only key is 403 where a full one is needed, a viewer key on every route whose method in the table is not GET, with
 * whatever method it was called, and a worker key everywhere. The key may be in a body that cannot be read: the errors of
 * the body are then listed too.
 */
export function authorize(route: Route, authentication: Authentication): KeyHolder {
  const { holder, workerKey, isKeyPresent, expiredAt, bodyErrors } = authentication;
  if (workerKey !== null)
    throw new VencError('ForbiddenError', 'This is a worker key, which can only be used by venc worker.');
  if (expiredAt !== null) throw expiredError('API key', expiredAt);
  if (holder === null) {
    if (route.path.includes(':id'))
      throw authError('NotFoundError', 'There is nothing with this id for this API key.', bodyErrors);
    const message = isKeyPresent
      ? 'The API key is not known.'
      : 'The API key is missing: send it in the header Service-Api-Key.';
    throw authError('UnauthorizedError', message, bodyErrors);
  }
  requireAllowed(route, holder);
  return holder;
}

/** Throws `ForbiddenError` if a key of this kind may not use a route. */
export function requireAllowed(
  route: Pick<Route, 'method' | 'key' | 'isForViewers'>,
  { kind }: Pick<KeyHolder, 'kind'>,
): void {
  if (kind === 'viewer' && route.method !== 'GET' && route.isForViewers !== true) {
    throw new VencError(
      'ForbiddenError',
      'This needs a full access key; the one given is a viewer key, which can read everything and change nothing.',
    );
  }
  if (kind === 'read-only' && route.key !== 'read') {
    throw new VencError(
      'ForbiddenError',
      'This needs a full access key; the one given may only read inputs and outputs.',
    );
  }
}

/**
 * The error for a request to a route of workers that has no valid worker key: 403 for the key of an account, and
 * 401 for a missing, unknown or expired key.
 */
export function workerKeyError({ holder, isKeyPresent, expiredAt, bodyErrors }: Authentication): VencError {
  if (expiredAt !== null) return expiredError('worker key', expiredAt);
  if (holder !== null)
    return new VencError(
      'ForbiddenError',
      'This needs a worker key; create one with venc keys create --worker.',
    );
  const message = isKeyPresent
    ? 'The worker key is not known.'
    : 'The worker key is missing: send it in the header Authorization, as a bearer token.';
  return authError('UnauthorizedError', message, bodyErrors);
}

function expiredError(what: string, expiredAt: Date): VencError {
  return new VencError('UnauthorizedError', `The ${what} expired on ${expiredAt.toISOString()}.`);
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

/** The bearer token in `Authorization`; null if there is none. */
function bearerToken({ authorization }: IncomingHttpHeaders): string | null {
  if (authorization === undefined) return null;
  return /^bearer +(\S+)$/i.exec(authorization.trim())?.[1] ?? null;
}

/** The key in `Authorization`: a bearer token, or the password of basic authentication; null if there is none. */
export function keyInAuthorization(headers: IncomingHttpHeaders): string | null {
  const token = bearerToken(headers);
  const [, value] = /^basic +(\S+)$/i.exec((headers.authorization ?? '').trim()) ?? [];
  if (token !== null || value === undefined) return token;
  const [user = '', password = ''] = Buffer.from(value, 'base64').toString('utf8').split(/:(.*)/s);
  return password === '' ? user : password;
}
