import { type ContentEncoding, isContentEncoding } from '../../transfer/decode-file.js';
import {
  permanentError,
  retryAfterMs,
  type TransferError,
  transientError,
} from '../../transfer/transfer-error.js';

/** Status and headers of an answer, header names in lower case. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** What an earlier response said about the file: enough to continue, and to detect that the file changed. */
export interface KnownFile {
  /** For `If-Range`: a strong entity tag, or a time of change that can be relied upon; null where there is neither. */
  readonly validator: string | null;
  readonly totalBytes: number | null;
  /** How the bytes are compressed (`Content-Encoding`), if they are; absent if not. */
  readonly encoding?: ContentEncoding;
}

/** What was asked for: all of a file, or a part of one. */
export interface RangeRequest {
  readonly fromByte: number;
  /** The byte behind the last one of the part; null for all up to the end. */
  readonly toByte?: number | null;
  /** Null where nothing is known of the file yet. */
  readonly known: KnownFile | null;
}

/** Whether a part is asked for. */
export function isPartial({ fromByte, toByte }: RangeRequest): boolean {
  return fromByte > 0 || (toByte ?? null) !== null;
}

/** The content of a response. */
export type ParsedResponse =
  | {
      readonly type: 'body';
      readonly fromByte: number;
      /** The offset after the last promised byte; null if unknown. */
      readonly toByte: number | null;
      readonly file: KnownFile;
    }
  | { readonly type: 'redirect'; readonly location: string }
  /** What was received so far is of no use: the file is another one now. */
  | { readonly type: 'changed' }
  /** The server did not send the requested range. */
  | { readonly type: 'wrong-range' }
  | { readonly type: 'failed'; readonly transferError: TransferError };

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The encoding of a body by its header; null if it is not compressed. Several are joined with commas. */
function encodingOf(response: ResponseHead): string | null {
  const names = (header(response, 'content-encoding') ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim().replace(/^x-/, ''))
    .filter((name) => compressed.has(name));
  return names.length === 0 ? null : names.join(', ');
}

const compressed: ReadonlySet<string> = new Set(['gzip', 'compress', 'deflate', 'br', 'zstd', 'dcb', 'dcz']);

/**
 * Reads an answer to a GET (contract, section 3 and 9). `host` is named in messages; `now` is for dates in
 * `Retry-After`.
 */
export function parseResponse(
  response: ResponseHead,
  request: RangeRequest,
  host: string,
  now: Date,
): ParsedResponse {
  const { status } = response;
  if (redirectStatuses.has(status)) {
    const location = header(response, 'location');
    if (location === null)
      return permanentFailure(`${host} sent a redirect without a Location header (status ${status}).`);
    // Node reads headers as Latin-1; some servers send addresses in bare UTF-8.
    return { type: 'redirect', location: Buffer.from(location, 'latin1').toString('utf8') };
  }
  if (status === 200 || status === 206) {
    const encoding = encodingOf(response);
    if (encoding !== null && !isContentEncoding(encoding)) {
      return permanentFailure(
        `${host} sent the file with the Content-Encoding ${encoding}, which cannot be decoded here. Store it without, or with gzip.`,
      );
    }
    return status === 200
      ? parseFullResponse(response, encoding)
      : parsePartialResponse(response, request, host);
  }
  if (status === 416 && isPartial(request)) return { type: 'changed' };
  return { type: 'failed', transferError: errorOfStatus(response, host, now) };
}

function parsePartialResponse(response: ResponseHead, request: RangeRequest, host: string): ParsedResponse {
  // The bytes so far are not compressed: a file that is has no ranges here.
  if (encodingOf(response) !== null) return { type: 'changed' };
  if (!isPartial(request))
    return permanentFailure(`${host} sends a part of the file, though all of it was asked for.`);
  const range = contentRange(response);
  const { known } = request;
  if (range === null || range.fromByte !== request.fromByte) return { type: 'wrong-range' };
  const { toByte, totalBytes } = range;
  const isSame =
    (totalBytes === null || known?.totalBytes == null || totalBytes === known.totalBytes) &&
    isKnownValidator(response, known);
  if (!isSame) return { type: 'changed' };
  const lengthBytes = parseDigits(header(response, 'content-length'));
  const isLonger = request.toByte != null && toByte > request.toByte;
  if (isLonger || (lengthBytes !== null && lengthBytes !== toByte - request.fromByte))
    return { type: 'wrong-range' };
  const file = known ?? { validator: validatorOf(response), totalBytes };
  return {
    type: 'body',
    fromByte: request.fromByte,
    toByte,
    file: { ...file, totalBytes: file.totalBytes ?? totalBytes },
  };
}

interface ContentRange {
  readonly fromByte: number;
  readonly toByte: number;
  readonly totalBytes: number | null;
}

/** Parses `Content-Range`; null if it is invalid. */
function contentRange(response: ResponseHead): ContentRange | null {
  const match = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(header(response, 'content-range') ?? '');
  if (match === null) return null;
  const fromByte = Number(match[1]);
  const toByte = Number(match[2]) + 1;
  const totalBytes = parseDigits(match[3] ?? null);
  if (toByte <= fromByte || (totalBytes !== null && toByte > totalBytes)) return null;
  return { fromByte, toByte, totalBytes };
}

/**
 * Whether a response is of the known file. A server may ignore `If-Range` and send a part of another file, so its
 * validator is compared as well.
 */
function isKnownValidator(response: ResponseHead, known: KnownFile | null): boolean {
  if (known === null) return true;
  const isEtag = known.validator?.startsWith('"') ?? false;
  const headerValue = header(response, isEtag ? 'etag' : 'last-modified');
  return headerValue === null || headerValue === known.validator;
}

function parseFullResponse(response: ResponseHead, encoding: ContentEncoding | null): ParsedResponse {
  const totalBytes = parseDigits(header(response, 'content-length'));
  // A server that compresses while it sends may send other bytes the next time, so such a file comes over one
  // connection, as a whole.
  const file =
    encoding === null
      ? { validator: validatorOf(response), totalBytes }
      : { validator: null, totalBytes, encoding };
  return { type: 'body', fromByte: 0, toByte: totalBytes, file };
}

function parseDigits(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

function validatorOf(response: ResponseHead): string | null {
  const tag = header(response, 'etag');
  if (tag?.startsWith('"')) return tag;
  const modified = header(response, 'last-modified');
  const modifiedAt = Date.parse(modified ?? '');
  const sentAt = Date.parse(header(response, 'date') ?? '');
  // A file may change twice in the second that its time names (RFC 9110, 8.8.2.2).
  return sentAt - modifiedAt >= 1000 ? modified : null;
}

function errorOfStatus(response: ResponseHead, host: string, now: Date): TransferError {
  const { status } = response;
  const message = `${host} answered with status ${status}`;
  if (status === 401) {
    return permanentError(
      'InvalidUsernameOrPasswordError',
      `${host} rejected the user name or the password, or needs them.`,
    );
  }
  if (status === 403) return permanentError('DownloadAccessDeniedError', `${message}: access denied.`);
  if (status === 404 || status === 410)
    return permanentError('FileNotFoundError', `${message}: no such file.`);
  const isTransient = status === 408 || status === 425 || status === 429 || status >= 500;
  if (!isTransient || status === 501 || status === 505)
    return permanentError('DownloadFailureError', `${message}.`);
  return transientError(
    'DownloadFailureError',
    `${message}.`,
    retryAfterMs(header(response, 'retry-after'), now.getTime()),
  );
}

function permanentFailure(message: string): ParsedResponse {
  return { type: 'failed', transferError: permanentError('DownloadFailureError', message) };
}

function header(response: ResponseHead, name: string): string | null {
  const value = response.headers[name];
  return (typeof value === 'string' ? value : value?.[0]) ?? null;
}
