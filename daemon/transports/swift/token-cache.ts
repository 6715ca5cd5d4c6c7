import { createHash } from 'node:crypto';
import { parseUrl } from '../../../src/shared/text/url-text.js';
import { addressKind } from '../../net/addresses.js';
import type { SsrfGuard } from '../../net/ssrf-guard.js';
import type { Direction } from '../../transfer/disk-errors.js';
import { errorClassOf, permanentError, type TransferError } from '../../transfer/transfer-error.js';
import type { Watchdog } from '../../transfer/with-retry.js';
import { createGuardedAgent } from '../http/guarded-agent.js';
import { errorOfSwiftStatus, isSwiftResponse, loginError, sendSwiftRequest } from './send-swift-request.js';
import type { SwiftLocation } from './swift-url.js';

/** Creates a guard that allows connections to the given hosts even if they are private. */
export type SsrfGuardFactory = (exemptHosts: readonly string[]) => SsrfGuard;

/** The result of a login: the URL of the account, and a token. */
export interface SwiftAccount {
  /** Without a trailing slash. */
  readonly storageUrl: URL;
  readonly token: string;
  /** Hosts that may be private. */
  readonly exemptHosts: readonly string[];
  /** In the terms of `Date.now()`, in milliseconds. */
  readonly expiresAt: number;
}

/**
 * Assumed lifetime of a token if the service reports none, in milliseconds. A token that expires earlier is renewed.
 */
const defaultTokenLifetimeMs = 3_600_000;
/** A token is not used if it expires within this time, in milliseconds. */
const expiryMarginMs = 60_000;
const maxCachedAccounts = 100;

/** Logs in with v1 authentication, and caches the accounts until their tokens expire. */
export class TokenCache {
  readonly #cached = new Map<string, SwiftAccount>();

  constructor(
    private readonly guardFor: SsrfGuardFactory,
    private readonly connectTimeoutMs: number,
  ) {}

  /** Returns the account of a location, and logs in if necessary. */
  async getAccount(
    location: SwiftLocation,
    watchdog: Watchdog,
    direction: Direction,
  ): Promise<SwiftAccount | TransferError> {
    const cacheKey = cacheKeyOf(location);
    const cached = this.#cached.get(cacheKey);
    if (cached !== undefined && cached.expiresAt - expiryMarginMs > Date.now()) return cached;
    const account = await this.#logIn(location, watchdog, direction);
    if ('kind' in account) return account;
    this.#cached.delete(cacheKey);
    this.#cached.set(cacheKey, account);
    for (const oldest of [...this.#cached.keys()].slice(0, -maxCachedAccounts)) this.#cached.delete(oldest);
    return account;
  }

  /** Removes an expired token. */
  forget(location: SwiftLocation, { token }: SwiftAccount): void {
    // Another transfer may have renewed it already.
    if (this.#cached.get(cacheKeyOf(location))?.token === token) this.#cached.delete(cacheKeyOf(location));
  }

  async #logIn(
    location: SwiftLocation,
    watchdog: Watchdog,
    direction: Direction,
  ): Promise<SwiftAccount | TransferError> {
    const { authUrl, login } = location;
    const guard = this.guardFor([authUrl.hostname]);
    let address = '';
    const recordingGuard: SsrfGuard = {
      ...guard,
      checkSocket(host, socket) {
        guard.checkSocket(host, socket);
        address = socket.remoteAddress ?? '';
      },
    };
    const agent = createGuardedAgent(recordingGuard, this.connectTimeoutMs);
    const request = {
      method: 'GET',
      origin: authUrl.origin,
      path: `${authUrl.pathname}${authUrl.search}`,
      headers: { 'x-auth-user': headerText(login.user), 'x-auth-key': headerText(login.password) },
    } as const;
    try {
      const response = await sendSwiftRequest(agent, request, watchdog, direction);
      if (!isSwiftResponse(response)) return response;
      const { status, headers } = response;
      const { host } = authUrl;
      // Keystone and similar services reject an unknown user with 403.
      if (status === 401 || status === 403) return loginError(host);
      const failure = errorClassOf('failure', direction);
      if (status === 404 || (status >= 300 && status < 400))
        return permanentError(
          failure,
          `${host} has no v1 authentication at this address: it answered with ${status}.`,
        );
      if (status < 200 || status > 299)
        return errorOfSwiftStatus(response, {
          host,
          container: location.container,
          object: location.object,
          direction,
        });
      const token = headers['x-auth-token'];
      const storageUrl = readStorageUrl(headers['x-storage-url']);
      if (token === undefined || token === '' || storageUrl === null)
        return permanentError(failure, `${host} sent no valid v1 authentication response.`);
      const lifetimeMs = Number(headers['x-auth-token-expires'] ?? Number.NaN) * 1000;
      const exemptHosts = trustedHosts({ host: authUrl.hostname, address }, storageUrl.hostname);
      return {
        token,
        storageUrl,
        exemptHosts,
        expiresAt: Date.now() + (Number.isFinite(lifetimeMs) ? lifetimeMs : defaultTokenLifetimeMs),
      };
    } finally {
      agent.destroy();
    }
  }
}

/** The cache key of a login. It is a hash, so that the cache does not contain the API key. */
function cacheKeyOf({ login }: SwiftLocation): string {
  return createHash('sha256')
    .update(JSON.stringify([login.user, login.password]))
    .digest('hex');
}

/** Encodes a text as UTF-8 bytes, the way Node expects them in header values. */
function headerText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function readStorageUrl(text: string | undefined): URL | null {
  const url = text === undefined ? null : parseUrl(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/**
 * The hosts of a login that may be private: the configured authentication host, and the storage host if the
 * authentication host has a private address too. A public service must not direct connections to a private address.
 */
export function trustedHosts(
  auth: { readonly host: string; readonly address: string },
  storageHost: string,
): readonly string[] {
  return addressKind(auth.address) === 'private' ? [auth.host, storageHost] : [auth.host];
}
