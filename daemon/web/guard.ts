import { BlockList, isIP, isIPv6 } from 'node:net';
import { VencError } from '../../src/shared/errors.js';
import type { Bindings } from '../http/request-context.js';

type Head = Pick<Bindings['incoming'], 'headers' | 'socket'>;

/** What the page needs to know of the daemon's flags. */
export interface PageOptions {
  /** The address of `--host`. */
  readonly host: string;
  /** `--public-url`; null for the address that the browser uses. */
  readonly publicUrl: string | null;
  /** Further names under which a browser may open the page (`--ui-host`). */
  readonly hosts: readonly string[];
  /** The header in which a proxy names the account of the visitor (`--ui-user-header`); null for none. */
  readonly userHeader: string | null;
  /** The networks of proxies whose headers count (`--trust-proxy`). */
  readonly trustedProxies: readonly {
    readonly address: string;
    /** The bits that all its addresses share. */
    readonly prefix: number;
    readonly type: 'ipv4' | 'ipv6';
  }[];
}

/** Which requests the page answers: those under its own names, and writes of its own scripts and forms. */
export class PageGuard {
  readonly #options: PageOptions;
  readonly #proxies = new BlockList();
  readonly #names: ReadonlySet<string>;
  readonly #publicUrl: URL | null;

  constructor(options: PageOptions) {
    this.#options = options;
    for (const { address, prefix, type } of options.trustedProxies)
      this.#proxies.addSubnet(address, prefix, type);
    this.#publicUrl = options.publicUrl === null ? null : new URL(options.publicUrl);
    const names = [options.host, ...options.hosts, this.#publicUrl?.hostname ?? ''];
    this.#names = new Set(names.map(hostNameOf).filter((name) => name !== ''));
  }

  /**
   * Throws `ForbiddenError` for a name of the host that is not one of the page's. A site of another name may have bound
   * it to this address (DNS rebinding); an address cannot be bound.
   */
  requireHost({ headers }: Head): void {
    const name = hostNameOf(headers.host ?? '');
    if (isLoopbackName(name) || isIP(name) !== 0 || this.#names.has(name)) return;
    throw new VencError(
      'ForbiddenError',
      `The page is not served under the name "${name}": start the daemon with --ui-host ${name} to allow it.`,
    );
  }

  /** Throws `ForbiddenError` unless a write comes from a page of this origin; one of a script needs `X-Venc: 1`. */
  requireOwnWrite(head: Head, by: 'form' | 'script'): void {
    const isMarked = by === 'form' || head.headers['x-venc'] === '1';
    if (isMarked && this.isSameOrigin(head)) return;
    throw new VencError(
      'ForbiddenError',
      `This request does not come from the page of this daemon.${this.#proxyAdvice(head)}`,
    );
  }

  /** What to do if only the port differs: a proxy left it out of the `Host` header. Empty otherwise. */
  #proxyAdvice({ headers }: Head): string {
    const { origin = '', host = '' } = headers;
    if (!URL.canParse(origin) || new URL(origin).hostname !== hostNameOf(host)) return '';
    return ` If a proxy changes the Host header, start the daemon with --public-url ${new URL(origin).origin}`;
  }

  /** Whether a browser says that a request comes from a page of this origin. */
  isSameOrigin({ headers }: Head): boolean {
    const site = headers['sec-fetch-site'];
    if (site !== undefined) return site === 'same-origin';
    const { origin, host = '' } = headers;
    if (origin === undefined || !URL.canParse(origin)) return false;
    const given = new URL(origin);
    return given.origin === this.#publicUrl?.origin || given.host === host.toLowerCase();
  }

  /** Whether another site made a browser send this request, which the page answers only if a person follows a link. */
  isCrossSite({ headers }: Head): boolean {
    const site = headers['sec-fetch-site'];
    return site !== undefined && site !== 'same-origin' && site !== 'none';
  }

  /** Whether the request came by HTTPS, to the address of `--public-url`. */
  isSecure(head: Head): boolean {
    return this.#publicUrl?.protocol === 'https:' && this.#isPublic(head);
  }

  /** Whether a request came to `--public-url`. Proxies leave the port out of the `Host` header (nginx: `$host`). */
  #isPublic({ headers }: Head): boolean {
    if (this.#publicUrl === null) return false;
    const { protocol, host, hostname } = this.#publicUrl;
    const given = `${protocol}//${headers.host ?? ''}`;
    return URL.canParse(given) && [host, hostname].includes(new URL(given).host);
  }

  /** The path of `--public-url` without a slash at its end, if the request came to that; else empty. */
  prefixFor(head: Head): string {
    if (this.#publicUrl === null || !this.#isPublic(head)) return '';
    return this.#publicUrl.pathname.replace(/\/+$/, '');
  }

  /** Whether others on the network can read what is sent. */
  isReadableByOthers(head: Head): boolean {
    const name = hostNameOf(head.headers.host ?? '');
    const isLoopback = isLoopbackName(name) || /^(?:127\.|::1$)/.test(name);
    return !isLoopback && !this.isSecure(head);
  }

  /** What failures of sign-in are counted by: the address of the visitor, of IPv6 the network. */
  clientOf({ headers, socket }: Head): string {
    let address = socket.remoteAddress ?? '';
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
    // Each proxy adds the address of its client at the end. What a client claims itself does not count.
    while (this.#isProxy(address) && forwarded.length > 0) {
      const next = forwarded.pop()?.trim() ?? '';
      if (isIP(next) === 0) break;
      address = next;
    }
    const plain = plainAddress(address);
    return isIPv6(plain) ? networkOf(plain) : plain;
  }

  #isProxy(address: string): boolean {
    const plain = plainAddress(address);
    return isIP(plain) !== 0 && this.#proxies.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  }

  /** The account that a proxy names in the header of `--ui-user-header`; null without one that may. */
  proxiedAccount({ headers, socket }: Head): string | null {
    const { userHeader } = this.#options;
    if (userHeader === null || !this.#isProxy(socket.remoteAddress ?? '')) return null;
    const value = headers[userHeader.toLowerCase()];
    return typeof value === 'string' && value !== '' ? value : null;
  }
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

/** An address without the prefix of IPv4 addresses in IPv6. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** The name or the address in a `Host` header, in lower case. */
function hostNameOf(host: string): string {
  const text = `http://${host}`;
  if (!URL.canParse(text)) return '';
  return new URL(text).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** The first 64 bits of an IPv6 address. */
function networkOf(address: string): string {
  const { hostname } = new URL(`http://[${address.replace(/%.*$/, '')}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? [] : Array<string>(8 - first.length - last.length).fill('0');
  return `${[...first, ...gap, ...last].slice(0, 4).join(':')}::/64`;
}
