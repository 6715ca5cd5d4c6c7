import { type RequestOptions, request } from 'node:http';
import type { Socket } from 'node:net';
import { VencError } from '../shared/errors.js';
import { decodeUrlPart, isUrl } from '../shared/text/url-text.js';
import { describeNetworkError } from './network-errors.js';
import { isLocalUrl } from './polling-schedule.js';

/** The environment, as far as it names proxies. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The variable that names a proxy for an address, as curl reads them: small letters or capitals, and none for addresses of this
 * machine or those of `NO_PROXY`. Null where there is none.
 */
export function findProxy(
  url: URL,
  env: ProxyEnvironment,
): { readonly name: string; readonly text: string } | null {
  const scheme = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const name = [scheme, scheme.toUpperCase()].find((each) => (env[each] ?? '').trim() !== '');
  const text = name === undefined ? undefined : env[name]?.trim();
  if (name === undefined || text === undefined || isLocalUrl(url.href)) return null;
  return isExempt(url, env.no_proxy ?? env.NO_PROXY ?? '') ? null : { name, text };
}

/** A domain of `NO_PROXY` stands for its hosts too; `*` for all. */
function isExempt({ hostname, port, protocol }: URL, exempt: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  const ownPort = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return exempt
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, domain = entry, onlyPort = ownPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
      const stripped = domain.replace(/^\*?\./, '').replace(/^\[|\]$/g, '');
      return onlyPort === ownPort && (entry === '*' || host === stripped || host.endsWith(`.${stripped}`));
    });
}

/**
 * What a request has to be given so that it goes by way of the proxy that the environment names; nothing where there is none. Rejects with
 * `UsageError` where what it names is no proxy, `UnreachableError`, and the signal's reason.
 */
export async function resolveProxyOptions(
  url: URL,
  env: ProxyEnvironment,
  signal: AbortSignal | undefined,
): Promise<RequestOptions> {
  const proxySetting = findProxy(url, env);
  if (proxySetting === null) return {};
  const proxy = proxyUrl(proxySetting);
  const authHeaders = proxyAuthHeaders(proxy);
  const { hostname, port } = proxy;
  const proxyAddress = { hostname: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 80 : Number(port) };
  if (url.protocol === 'http:') {
    const auth = url.username === '' ? {} : { auth: credentialsIn(url) };
    return { ...proxyAddress, ...auth, path: withoutUser(url), headers: { Host: url.host, ...authHeaders } };
  }
  const target = `${url.hostname}:${url.port === '' ? 443 : url.port}`;
  const socket = await tunnel(
    { ...proxyAddress, path: target, headers: { Host: target, ...authHeaders } },
    proxy,
    signal,
  );
  const { connect } = await import('node:tls');
  const { isIP } = await import('node:net');
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const servername = isIP(name) === 0 ? { servername: name } : {};
  return { createConnection: () => connect({ socket, host: name, ...servername }) };
}

function tunnel(options: RequestOptions, proxy: URL, signal: AbortSignal | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string, cause?: unknown) =>
      reject(
        new VencError('UnreachableError', `The proxy at ${proxy.host} ${reason}.`, {
          cause,
          hint: 'HTTPS_PROXY names it, and NO_PROXY the hosts that are to be reached without it',
        }),
      );
    const connectRequest = request({
      ...options,
      method: 'CONNECT',
      agent: false,
      timeout: 20_000,
      ...(signal === undefined ? {} : { signal }),
    });
    connectRequest.on('timeout', () => connectRequest.destroy(new Error('it did not answer in time')));
    connectRequest.on('connect', ({ statusCode = 0 }, socket: Socket) => {
      if (statusCode >= 200 && statusCode < 300) return resolve(socket);
      socket.destroy();
      fail(statusCode === 407 ? 'wants a name and a password (407)' : `refuses to connect (${statusCode})`);
    });
    connectRequest.on('error', (error) => {
      if (signal?.aborted === true) reject(signal.reason);
      else fail(`could not be reached: ${describeNetworkError(error)}`, error);
    });
    connectRequest.end();
  });
}

function proxyUrl({ name, text }: { readonly name: string; readonly text: string }): URL {
  const url = isUrl(text) ? text : `http://${text}`;
  if (URL.canParse(url) && new URL(url).protocol === 'http:') return new URL(url);
  throw new VencError('UsageError', `${name} names no proxy that can be used here.`, {
    hint: 'it is to be the address of an HTTP proxy, such as http://proxy.example.com:3128',
  });
}

function proxyAuthHeaders(proxy: URL): Readonly<Record<string, string>> {
  if (proxy.username === '') return {};
  return { 'Proxy-Authorization': `Basic ${Buffer.from(credentialsIn(proxy)).toString('base64')}` };
}

function credentialsIn({ username, password }: URL): string {
  return `${decodeUrlPart(username)}:${decodeUrlPart(password)}`;
}

function withoutUser(url: URL): string {
  const stripped = new URL(url);
  stripped.username = '';
  stripped.password = '';
  stripped.hash = '';
  return stripped.href;
}
