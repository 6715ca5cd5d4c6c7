import { createHash } from 'node:crypto';
import type { Guard } from '../../net/ssrf-guard.js';
import type { Direction } from '../../transfer/map-disk-error.js';
import { classOf, finalTrouble, type Trouble } from '../../transfer/transfer-error.js';
import type { Watched } from '../../transfer/with-retry.js';
import { createGuardedAgent } from '../http/agent.js';
import { loginTrouble, statusTrouble } from './answers.js';
import { isAnswer, send } from './send.js';
import type { GuardFor } from './swift-options.js';
import type { SwiftPlace } from './swift-url.js';
import { trustedHosts } from './trusted-hosts.js';

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
const usualLifeMs = 3_600_000;
/** A token that would run out within this is not used any more, in milliseconds. */
const spareMs = 60_000;
const maxKept = 100;

/** Logs in by v1 authentication, and keeps what that gave as long as it is good. */
export class Logins {
  readonly #kept = new Map<string, SwiftAccount>();

  constructor(
    private readonly guardFor: GuardFor,
    private readonly connectTimeoutMs: number,
  ) {}

  /** The account that a place lies in. */
  async account(place: SwiftPlace, watched: Watched, direction: Direction): Promise<SwiftAccount | Trouble> {
    const name = nameOf(place);
    const kept = this.#kept.get(name);
    if (kept !== undefined && kept.expiresAt - spareMs > Date.now()) return kept;
    const account = await this.#logIn(place, watched, direction);
    if ('kind' in account) return account;
    this.#kept.delete(name);
    this.#kept.set(name, account);
    for (const oldest of [...this.#kept.keys()].slice(0, -maxKept)) this.#kept.delete(oldest);
    return account;
  }

  /** A token turned out to be good no more. */
  forget(place: SwiftPlace, { token }: SwiftAccount): void {
    // Another transfer may have renewed it already.
    if (this.#kept.get(nameOf(place))?.token === token) this.#kept.delete(nameOf(place));
  }

  async #logIn(place: SwiftPlace, watched: Watched, direction: Direction): Promise<SwiftAccount | Trouble> {
    const { authUrl, login } = place;
    const guard = this.guardFor([authUrl.hostname]);
    let address = '';
    const asking: Guard = {
      ...guard,
      checkSocket(host, socket) {
        guard.checkSocket(host, socket);
        address = socket.remoteAddress ?? '';
      },
    };
    const agent = createGuardedAgent(asking, this.connectTimeoutMs);
    const request = {
      method: 'GET',
      origin: authUrl.origin,
      path: `${authUrl.pathname}${authUrl.search}`,
      headers: { 'x-auth-user': headerText(login.user), 'x-auth-key': headerText(login.password) },
    } as const;
    try {
      const answer = await send(agent, request, watched, direction);
      if (!isAnswer(answer)) return answer;
      const { status, headers } = answer;
      const { host } = authUrl;
      // Keystone and its kin refuse an unknown user with 403.
      if (status === 401 || status === 403) return loginTrouble(host);
      const failure = classOf('failure', direction);
      if (status === 404 || (status >= 300 && status < 400))
        return finalTrouble(failure, `${host} has no v1 authentication there: it answered with ${status}.`);
      if (status < 200 || status > 299)
        return statusTrouble(answer, { host, container: place.container, object: place.object, direction });
      const token = headers['x-auth-token'];
      const storageUrl = readStorageUrl(headers['x-storage-url']);
      if (token === undefined || token === '' || storageUrl === null)
        return finalTrouble(failure, `${host} does not answer as a v1 authentication does.`);
      const life = Number(headers['x-auth-token-expires'] ?? Number.NaN) * 1000;
      const exemptHosts = trustedHosts({ host: authUrl.hostname, address }, storageUrl.hostname);
      return {
        token,
        storageUrl,
        exemptHosts,
        expiresAt: Date.now() + (Number.isFinite(life) ? life : usualLifeMs),
      };
    } finally {
      agent.destroy();
    }
  }
}

/** Who asks, with which key: not the key itself, which nobody needs to find in memory. */
function nameOf({ login }: SwiftPlace): string {
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
