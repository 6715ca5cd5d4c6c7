import type { Readable } from 'node:stream';
import { parseUrl } from '../../../src/shared/text/url-text.js';
import type { SocketBuffers } from '../../net/socket-buffers.js';
import type { Credentials } from '../../transfer/remote-url.js';
import { mapConnectionError, permanentError, type TransferError } from '../../transfer/transfer-error.js';
import type { Watchdog } from '../../transfer/with-retry.js';
import type { GuardedAgent, GuardedResponse } from './guarded-agent.js';
import { basicAuthorization, parseHttpUrl } from './http-url.js';
import { isPartial, type ParsedResponse, parseResponse, type RangeRequest } from './parse-response.js';

const maxRedirects = 10;

/** A response with a body, or the reason why there is none. */
export type FileResponse =
  | BodyResponse
  | Extract<ParsedResponse, { type: 'changed' | 'wrong-range' }>
  | FailedFetch;

/** The body of a file, and which bytes of the file it holds. */
export type BodyResponse = Extract<ParsedResponse, { type: 'body' }> & {
  readonly body: Readable;
  readonly host: string;
  /** The URL at the end of all redirects. */
  readonly target: HttpTarget;
};

/** A request or a transfer that failed. */
export interface FailedFetch {
  readonly type: 'failed';
  readonly transferError: TransferError;
  /** True if a server answered with an error, permanent or transient; false if the connection failed. */
  readonly isRejection: boolean;
}

/** A URL to request, and the credentials for it. */
export interface HttpTarget {
  readonly url: URL;
  readonly credentials: Credentials | null;
  /** Additional headers, such as a token. Like the credentials, they are sent to this origin only. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where the ranges of one file are requested. */
export interface FileSource {
  readonly agent: GuardedAgent;
  readonly target: HttpTarget;
  /** Buffers for large bodies. Their reader releases them. */
  readonly buffers?: SocketBuffers;
  /** The URL that earlier redirects led to, requested instead of `target`; null if none is known. */
  resolved: HttpTarget | null;
}

/**
 * Requests a file or a range of it, following redirects, and remembers in `source.resolved` where they led. If the
 * resolved URL is permanently rejected, requests the original URL once more. Rejects only when the signal is aborted.
 */
export async function requestRange(
  source: FileSource,
  request: RangeRequest,
  watchdog: Watchdog,
): Promise<FileResponse> {
  const { target, resolved } = source;
  const response = await followRedirects(source, resolved ?? target, request, watchdog);
  if (response.type === 'body') source.resolved = response.target;
  const isPermanent =
    response.type === 'failed' && response.isRejection && response.transferError.kind === 'permanent';
  if (!isPermanent || resolved === null || resolved === target) return response;
  // The resolved URL may have expired: the original one may now redirect to a valid URL.
  source.resolved = null;
  const retried = await followRedirects(source, target, request, watchdog);
  if (retried.type === 'body') source.resolved = retried.target;
  return retried;
}

/** Opens a connection for each redirect, so that the guard checks each address. */
async function followRedirects(
  { agent, buffers, target: original }: FileSource,
  start: HttpTarget,
  request: RangeRequest,
  { signal, reportActivity }: Watchdog,
): Promise<FileResponse> {
  let target = start;
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const { host } = target.url;
    const response = await sendGet({ agent, buffers }, target, request, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      return mapConnectionError(error, host, 'download');
    });
    if ('kind' in response) return { type: 'failed', transferError: response, isRejection: false };
    reportActivity();
    const { statusCode: status, headers, body } = response;
    const parsed = parseResponse({ status, headers }, request, host, new Date());
    if (parsed.type === 'body') return { ...parsed, body, host, target };
    body.destroy();
    if (parsed.type === 'failed') return { ...parsed, isRejection: true };
    if (parsed.type !== 'redirect') return parsed;
    const redirectTarget = resolveRedirect(original, target, parsed.location);
    if ('kind' in redirectTarget) return { type: 'failed', transferError: redirectTarget, isRejection: true };
    target = redirectTarget;
  }
  const message = `${original.url.host} redirected more than ${maxRedirects} times.`;
  return {
    type: 'failed',
    transferError: permanentError('DownloadFailureError', message),
    isRejection: true,
  };
}

function sendGet(
  { agent, buffers }: { readonly agent: GuardedAgent; readonly buffers: SocketBuffers | undefined },
  { url, credentials, headers }: HttpTarget,
  request: RangeRequest,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  const { fromByte, toByte, known } = request;
  const lastByte = toByte == null ? '' : toByte - 1;
  return agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: 'GET',
    signal,
    // After a part of the file, the connection is used again for the next one.
    ...(buffers === undefined || toByte != null ? {} : { buffers }),
    headers: {
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'venc',
      ...headers,
      ...(credentials === null ? {} : { authorization: basicAuthorization(credentials) }),
      ...(isPartial(request) ? { range: `bytes=${fromByte}-${lastByte}` } : {}),
      ...(isPartial(request) && known?.validator != null ? { 'if-range': known.validator } : {}),
    },
  });
}

function resolveRedirect(
  original: HttpTarget,
  from: HttpTarget,
  location: string,
): HttpTarget | TransferError {
  const { host } = from.url;
  const href = parseUrl(location, from.url)?.href ?? location;
  const parsed = parseHttpUrl(href);
  if (!parsed.ok) {
    return permanentError(
      'DownloadFailureError',
      `${host} redirects to a URL that is not a valid http or https URL.`,
    );
  }
  const isSameOrigin = parsed.url.origin === original.url.origin;
  const credentials = parsed.credentials ?? (isSameOrigin ? original.credentials : null);
  return {
    url: parsed.url,
    credentials,
    ...(isSameOrigin && original.headers !== undefined ? { headers: original.headers } : {}),
  };
}
