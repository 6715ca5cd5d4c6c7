import type { IncomingMessage } from 'node:http';
import { type ErrorClass, errorClasses } from '../shared/error-classes.js';
import { isVencError, VencError } from '../shared/errors.js';
import { redact } from '../shared/redact.js';
import { parseUrl } from '../shared/text/url-text.js';
import { sendHttpRequest } from './http.js';

/** The offset to read from, and the version of the file that the earlier bytes are from. */
interface FilePosition {
  readonly fromByte: number;
  /** The strong entity tag of an earlier response; null if there was none. */
  readonly version: string | null;
}

/** A hosted file at an unguessable URL, opened for reading. */
interface OpenedFile {
  /** The offset of the first byte: 0 if the server sends the whole file although a range was requested. */
  readonly fromByte: number;
  /** Null if the server does not send it. */
  readonly totalBytes: number | null;
  readonly version: string | null;
  readonly content: IncomingMessage;
}

const maxRedirects = 5;

const errorClassesByStatus: Readonly<Record<number, ErrorClass>> = {
  401: 'ForbiddenError',
  403: 'ForbiddenError',
  404: 'NotFoundError',
  410: 'GoneError',
  429: 'TooManyRequestsError',
};

/**
 * Opens a file at an offset. Follows redirects, because storage is often on another host, and therefore sends no API
 * key. Rejects with `NotFoundError`, `GoneError` or `ForbiddenError`, with `UnavailableError` or `TooManyRequestsError`
 * if a retry may succeed, and as `sendHttpRequest` does.
 */
export async function openFile(
  address: string,
  { fromByte, version }: FilePosition,
  signal: AbortSignal,
): Promise<OpenedFile> {
  const headers = {
    Accept: '*/*',
    'Accept-Encoding': 'identity',
    ...(fromByte > 0 ? { Range: `bytes=${fromByte}-` } : {}),
    ...(fromByte > 0 && version !== null ? { 'If-Range': version } : {}),
  };
  let url = new URL(address);
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const {
      status,
      headers: responseHeaders,
      content,
    } = await sendHttpRequest({ method: 'GET', url, headers, signal }).catch((error: unknown) => {
      throw withAddressHint(error, url);
    });
    const etag = responseHeaders.etag?.startsWith('"') ? responseHeaders.etag : null;
    if (status === 200)
      return {
        fromByte: 0,
        totalBytes: parseCount(responseHeaders['content-length']),
        version: etag,
        content,
      };
    const range = /^bytes (\d+)-\d+\/(\d+|\*)$/i.exec(responseHeaders['content-range'] ?? '');
    if (status === 206 && range !== null && Number(range[1]) === fromByte)
      return { fromByte, totalBytes: parseCount(range[2]), version: etag, content };
    content.destroy();
    // The range is past the end of the file, or not the one that was requested: read from the start.
    if (fromByte > 0 && (status === 416 || status === 206))
      return openFile(address, { fromByte: 0, version: null }, signal);
    if (status < 300 || status >= 400 || responseHeaders.location === undefined)
      throw toOpenError(url, status);
    const redirect = parseUrl(responseHeaders.location, url);
    if (redirect === null || !/^https?:$/.test(redirect.protocol)) throw toOpenError(redirect ?? url, status);
    url = redirect;
  }
  throw new VencError(
    'UnreachableError',
    `${new URL(address).host} redirects more than ${maxRedirects} times.`,
  );
}

function toOpenError(url: URL, status: number): VencError {
  const errorClass =
    errorClassesByStatus[status] ?? (status >= 500 ? 'UnavailableError' : 'UnreachableError');
  const reasons: Partial<Record<ErrorClass, string>> = {
    NotFoundError: 'there is no such file',
    GoneError: 'the file is there no longer',
    ForbiddenError: 'access is denied',
  };
  const reason = reasons[errorClass] ?? errorClasses[errorClass].meaning.replace(/\.$/, '').toLowerCase();
  // Signed URLs expire, and no API key is sent with them: the hint of the error class would be wrong.
  const hint =
    errorClass === 'ForbiddenError'
      ? { hint: 'its URL may have expired; venc show prints the current one' }
      : {};
  return new VencError(
    errorClass,
    `${redact(url.origin + url.pathname)}: ${reason} (status ${status}).`,
    hint,
  );
}

function parseCount(text: string | undefined): number | null {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : null;
}

/** The service answers, but not at the address that it gave for the file. */
function withAddressHint(error: unknown, { origin }: URL): unknown {
  if (!isVencError(error, 'UnreachableError') || error.hint !== null) return error;
  const hint = `the service gave ${origin} as its address: check --public-url of venc daemon, or the connection to it`;
  return new VencError(error.errorClass, error.message, { cause: error, hint });
}
