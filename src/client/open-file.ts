import type { IncomingMessage } from 'node:http';
import { type ErrorClass, errorClasses } from '../shared/error-classes.js';
import { VencError } from '../shared/errors.js';
import { redact } from '../shared/redact.js';
import { sendHttpRequest } from './http.js';

/** Where to begin, and in which version of the file: bytes of another one are of no use. */
export interface FilePosition {
  readonly fromByte: number;
  /** A strong entity tag of an earlier answer; null where there was none. */
  readonly version: string | null;
}

/** A file that a service hosts at an unguessable address, opened for reading. */
export interface OpenedFile {
  /** Where the bytes begin: 0 where the server begins anew, though it was asked for the rest. */
  readonly fromByte: number;
  /** Null where the server does not tell. */
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
 * Asks for a file, or for the rest of one, and follows redirects: storage often stands elsewhere. No key is sent along, since it
 * may. Rejects with `NotFoundError`, `GoneError`, `ForbiddenError`, with `UnavailableError` and `TooManyRequestsError` where it may be
 * there later, and as `exchange` does.
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
    } = await sendHttpRequest({ method: 'GET', url, headers, signal });
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
    // Nothing behind what is there already, or nonsense: from the beginning then.
    if (fromByte > 0 && (status === 416 || status === 206))
      return openFile(address, { fromByte: 0, version: null }, signal);
    if (status < 300 || status >= 400 || responseHeaders.location === undefined)
      throw toOpenError(url, status);
    if (!URL.canParse(responseHeaders.location, url.href)) throw toOpenError(url, status);
    url = new URL(responseHeaders.location, url);
    if (!/^https?:$/.test(url.protocol)) throw toOpenError(url, status);
  }
  throw new VencError('UnreachableError', `${new URL(address).host} redirects in circles.`);
}

function toOpenError(url: URL, status: number): VencError {
  const errorClass =
    errorClassesByStatus[status] ?? (status >= 500 ? 'UnavailableError' : 'UnreachableError');
  const reasons: Partial<Record<ErrorClass, string>> = {
    NotFoundError: 'there is no such file',
    GoneError: 'the file is there no longer',
    ForbiddenError: 'access is refused',
  };
  const reason = reasons[errorClass] ?? errorClasses[errorClass].meaning.replace(/\.$/, '').toLowerCase();
  // Signed addresses expire, and no key of ours goes with them: the advice of the error class would be wrong.
  const hint =
    errorClass === 'ForbiddenError'
      ? { hint: 'its address may have expired: look with venc show whether there is a new one' }
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
