import type { Readable } from 'node:stream';
import type { Credentials } from '../../transfer/remote-url.js';
import { mapConnectionError, permanentError, type TransferError } from '../../transfer/transfer-error.js';
import type { GuardedAgent } from './guarded-agent.js';
import { basicAuthorization, parseHttpUrl } from './http-url.js';
import { isPartial, type ParsedResponse, parseResponse, type RangeRequest } from './parse-response.js';
import type { GuardedResponse } from './send-request.js';

const maxRedirects = 10;

/** The body of a file and what it is a part of; or why there is none. */
export type FileResponse =
  | (Extract<ParsedResponse, { type: 'body' }> & {
      readonly body: Readable;
      readonly host: string;
      /** Where all redirects have led to. */
      readonly target: HttpTarget;
    })
  | Extract<ParsedResponse, { type: 'changed' | 'unsound' }>
  | {
      readonly type: 'trouble';
      readonly transferError: TransferError;
      /** Whether it is an answer of a server that says no, for now or for good. */
      readonly isRejection: boolean;
    };

/** An address to ask, and the credentials to show there. */
export interface HttpTarget {
  readonly url: URL;
  readonly credentials: Credentials | null;
  /** Headers that are shown there beside these, such as a token. Like credentials, they are for this origin alone. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What goes with one question. */
export interface FileRequestOptions {
  /** Where redirects of earlier questions have led to: asked instead of the first address. */
  readonly resolved?: HttpTarget | null;
  readonly signal: AbortSignal;
  /** Called whenever a server has answered. */
  readonly reportActivity: () => void;
}

/**
 * Asks for a file or for the rest of one, following redirects. Each of them is connected to anew and so passes the guard; the
 * credentials of the first URL are for its own origin alone. Rejects only when the signal is aborted.
 */
export async function requestFile(
  agent: GuardedAgent,
  original: HttpTarget,
  request: RangeRequest,
  { resolved = null, signal, reportActivity }: FileRequestOptions,
): Promise<FileResponse> {
  let target = resolved ?? original;
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const { host } = target.url;
    const response = await sendGet(agent, target, request, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      return mapConnectionError(error, host, 'download');
    });
    if ('kind' in response) return { type: 'trouble', transferError: response, isRejection: false };
    reportActivity();
    const { statusCode: status, headers, body } = response;
    const parsed = parseResponse({ status, headers }, request, host, new Date());
    if (parsed.type === 'body') return { ...parsed, body, host, target };
    body.destroy();
    if (parsed.type === 'trouble') return { ...parsed, isRejection: true };
    if (parsed.type !== 'redirect') return parsed;
    const redirectTarget = resolveRedirect(original, target, parsed.location);
    if ('kind' in redirectTarget)
      return { type: 'trouble', transferError: redirectTarget, isRejection: true };
    target = redirectTarget;
  }
  const message = `${original.url.host} redirected more than ${maxRedirects} times.`;
  return {
    type: 'trouble',
    transferError: permanentError('DownloadFailureError', message),
    isRejection: true,
  };
}

function sendGet(
  agent: GuardedAgent,
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
  const href = URL.canParse(location, from.url.href) ? new URL(location, from.url).href : location;
  const parsed = parseHttpUrl(href);
  if (!parsed.ok) {
    return permanentError('DownloadFailureError', `${host} redirects to an address that is not of the web.`);
  }
  const isSameOrigin = parsed.url.origin === original.url.origin;
  const credentials = parsed.credentials ?? (isSameOrigin ? original.credentials : null);
  return {
    url: parsed.url,
    credentials,
    ...(isSameOrigin && original.headers !== undefined ? { headers: original.headers } : {}),
  };
}
