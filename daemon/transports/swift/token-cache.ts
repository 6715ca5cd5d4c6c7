import { createHash } from 'node:crypto';
import { addressKind } from '../../net/addresses.js';
import type { SsrfGuard } from '../../net/ssrf-guard.js';
import type { Direction } from '../../transfer/disk-errors.js';
import { errorClassOf, permanentError, type TransferError } from '../../transfer/transfer-error.js';
import type { Watchdog } from '../../transfer/with-retry.js';
import { createGuardedAgent } from '../http/guarded-agent.js';
import { errorOfSwiftStatus, isSwiftResponse, loginError, sendSwiftRequest } from './send-swift-request.js';
import type { SwiftLocation } from './swift-url.js';

/** A guard that lets connections to some hosts pass though they are private: those that the daemon's own configuration leads to. */
export type SsrfGuardFactory = (exemptHosts: readonly string[]) => SsrfGuard;

/** What logging in gave: where the account lies, and what opens it. */
export interface SwiftAccount {
  /** Without a slash at its end. */
  readonly storageUrl: URL;
  readonly token: string;
  /** Those that may be private. */
  readonly exemptHosts: readonly string[];
  /** By `Date.now()`, in milliseconds. */
  readonly expiresAt: number;
}

/** How long a token is taken to be good where the service does not tell, in milliseconds; one that is not is renewed. */
const defaultTokenLifetimeMs = 3_600_000;
/** A token that would run out within this is not used any more, in milliseconds. */
const expiryMarginMs = 60_000;
const maxCachedAccounts = 100;

/** Logs in by v1 authentication, and keeps what that gave as long as it is good. */
export class TokenCache {
  readonly #cached = new Map<string, SwiftAccount>();

  constructor(
    private readonly guardFor: SsrfGuardFactory,
    private readonly connectTimeoutMs: number,
  ) {}

  /** The account that a place lies in. */
  async getAccount(
    location: SwiftLocation,
    watchdog: Watchdog,
    direction: Direction,
  ): Promise<SwiftAccount | TransferError> {
    const cacheKey = cacheKeyOf(location);
    const cached = this.#cached.get(cacheKey);
    if (cached !== undefined && cached.expiresAt - expiryMarginMs > Date.now()) return cached;
    const getAccount = await this.#logIn(location, watchdog, direction);
    if ('kind' in getAccount) return getAccount;
    this.#cached.delete(cacheKey);
    this.#cached.set(cacheKey, getAccount);
    for (const oldest of [...this.#cached.keys()].slice(0, -maxCachedAccounts)) this.#cached.delete(oldest);
    return getAccount;
  }

  /** A token turned out to be good no more. */
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
      // Keystone and its kin refuse an unknown user with 403.
      if (status === 401 || status === 403) return loginError(host);
      const failure = errorClassOf('failure', direction);
      if (status === 404 || (status >= 300 && status < 400))
        return permanentError(failure, `${host} has no v1 authentication there: it answered with ${status}.`);
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
        return permanentError(failure, `${host} does not answer as a v1 authentication does.`);
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

/** Who asks, with which key: not the key itself, which nobody needs to find in memory. */
function cacheKeyOf({ login }: SwiftLocation): string {
  return createHash('sha256')
    .update(JSON.stringify([login.user, login.password]))
    .digest('hex');
}

/** Headers are bytes: those of UTF-8. */
function headerText(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

function readStorageUrl(text: string | undefined): URL | null {
  if (text === undefined || !URL.canParse(text)) return null;
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) return null;
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/**
 * Which hosts may be private, of those that a login leads to: the configured one, and the storage that it names where it is within the same
 * walls. A service of the public net must not send us to a private address.
 */
export function trustedHosts(
  auth: { readonly host: string; readonly address: string },
  storageHost: string,
): readonly string[] {
  return addressKind(auth.address) === 'private' ? [auth.host, storageHost] : [auth.host];
}
