import { type RequestOptions, request } from 'node:http';
import type { Socket } from 'node:net';
import { VencError } from '../shared/errors.js';
import { decodeUrlPart, isUrl, parseUrl } from '../shared/text/url-text.js';
import { describeNetworkError } from './network-errors.js';
import { isLocalUrl } from './target.js';

/** Environment variables. */
type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The environment variable that names the proxy for a URL, with curl's rules: lower case before upper case, and no
 * proxy for this machine or the hosts in `NO_PROXY`. Null if there is none.
 *
 * Not undici's `EnvHttpProxyAgent`: it serves only undici's own requests, so commands behind a proxy would use a second
 * HTTP client with other errors and timeouts. `node:http` has no proxy support in Node 20.
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

/** Whether `NO_PROXY` exempts a URL. A domain includes its subdomains; `*` exempts every host. */
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
 * The request options that send a request through the proxy of the environment; none if there is no proxy. Rejects with
 * `UsageError` if the variable does not name an HTTP proxy, with `UnreachableError`, and with the signal's reason.
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
          hint: 'HTTPS_PROXY names the proxy; NO_PROXY lists hosts to reach without it',
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
      fail(
        statusCode === 407
          ? 'requires a user name and password (407)'
          : `rejected the connection (${statusCode})`,
      );
    });
    connectRequest.on('error', (error) => {
      if (signal?.aborted === true) reject(signal.reason);
      else fail(`could not be reached: ${describeNetworkError(error)}`, error);
    });
    connectRequest.end();
  });
}

function proxyUrl({ name, text }: { readonly name: string; readonly text: string }): URL {
  const url = parseUrl(isUrl(text) ? text : `http://${text}`);
  if (url?.protocol === 'http:') return url;
  throw new VencError('UsageError', `${name} is not the URL of an HTTP proxy.`, {
    hint: 'set it to a URL such as http://proxy.example.com:3128',
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
