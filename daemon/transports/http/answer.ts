import { finalTrouble, passingTrouble, type Trouble } from '../../transfer/transfer-error.js';

/** Status and headers of an answer, header names in lower case. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** What is known of the file from an earlier answer: enough to go on with it, and to notice that it changed. */
export interface KnownFile {
  /** For `If-Range`: a strong entity tag, or a time of change that can be relied upon; null where there is neither. */
  readonly validator: string | null;
  readonly totalBytes: number | null;
}

/** What was asked for: all of a file, or a part of one. */
export interface Asked {
  readonly fromByte: number;
  /** The byte behind the last one of the part; null for all up to the end. */
  readonly toByte?: number | null;
  /** Null where nothing is known of the file yet. */
  readonly known: KnownFile | null;
}

/** Whether a part is asked for. */
export function isOfPart({ fromByte, toByte }: Asked): boolean {
  return fromByte > 0 || (toByte ?? null) !== null;
}

/** What an answer brings. */
export type AnswerReading =
  | {
      readonly type: 'body';
      readonly fromByte: number;
      /** The byte behind the last one that it promises; null where it does not tell. */
      readonly toByte: number | null;
      readonly file: KnownFile;
    }
  | { readonly type: 'redirect'; readonly location: string }
  /** What was received so far is of no use: the file is another one now. */
  | { readonly type: 'changed' }
  /** The server has no parts to give: what it sends is another one than was asked for, or none. */
  | { readonly type: 'unsound' }
  | { readonly type: 'trouble'; readonly trouble: Trouble };

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const packed = /^(?:x-)?(?:gzip|compress|deflate|br|zstd)$/i;

/** Reads an answer to a GET (contract, section 3 and 9). `host` is named in messages; `now` is for dates in `Retry-After`. */
export function readAnswer(answer: Answer, asked: Asked, host: string, now: Date): AnswerReading {
  const { status } = answer;
  if (redirects.has(status)) {
    const location = header(answer, 'location');
    if (location === null) return failed(`${host} redirects to nowhere (status ${status}).`);
    // Node reads headers as Latin-1; some servers send addresses in bare UTF-8.
    return { type: 'redirect', location: Buffer.from(location, 'latin1').toString('utf8') };
  }
  if (status === 200 || status === 206) {
    const encoding = header(answer, 'content-encoding') ?? '';
    if (packed.test(encoding)) {
      return failed(`${host} sends the file packed (${encoding}), though it was asked not to.`);
    }
    return status === 200 ? wholeOf(answer) : partOf(answer, asked, host);
  }
  if (status === 416 && isOfPart(asked)) return { type: 'changed' };
  return { type: 'trouble', trouble: refusal(answer, host, now) };
}

function partOf(answer: Answer, asked: Asked, host: string): AnswerReading {
  if (!isOfPart(asked)) return failed(`${host} sends a part of the file, though all of it was asked for.`);
  const range = contentRange(answer);
  const { known } = asked;
  if (range === null || range.fromByte !== asked.fromByte) return { type: 'unsound' };
  const { toByte, totalBytes } = range;
  const isSame =
    (totalBytes === null || known?.totalBytes == null || totalBytes === known.totalBytes) &&
    isKnownValidator(answer, known);
  if (!isSame) return { type: 'changed' };
  const lengthBytes = numberIn(header(answer, 'content-length'));
  const isLonger = asked.toByte != null && toByte > asked.toByte;
  if (isLonger || (lengthBytes !== null && lengthBytes !== toByte - asked.fromByte))
    return { type: 'unsound' };
  const file = known ?? { validator: validatorOf(answer), totalBytes };
  return {
    type: 'body',
    fromByte: asked.fromByte,
    toByte,
    file: { ...file, totalBytes: file.totalBytes ?? totalBytes },
  };
}

interface ContentRange {
  readonly fromByte: number;
  readonly toByte: number;
  readonly totalBytes: number | null;
}

/** What `Content-Range` says; null where it makes no sense. */
function contentRange(answer: Answer): ContentRange | null {
  const match = /^bytes (\d+)-(\d+)\/(\d+|\*)$/i.exec(header(answer, 'content-range') ?? '');
  if (match === null) return null;
  const fromByte = Number(match[1]);
  const toByte = Number(match[2]) + 1;
  const totalBytes = numberIn(match[3] ?? null);
  if (toByte <= fromByte || (totalBytes !== null && toByte > totalBytes)) return null;
  return { fromByte, toByte, totalBytes };
}

/** A server may ignore `If-Range` and send a part of another file: what the part says of itself is compared as well. */
function isKnownValidator(answer: Answer, known: KnownFile | null): boolean {
  if (known === null) return true;
  const isTag = known.validator?.startsWith('"') ?? false;
  const given = header(answer, isTag ? 'etag' : 'last-modified');
  return given === null || given === known.validator;
}

function wholeOf(answer: Answer): AnswerReading {
  const totalBytes = numberIn(header(answer, 'content-length'));
  return {
    type: 'body',
    fromByte: 0,
    toByte: totalBytes,
    file: { validator: validatorOf(answer), totalBytes },
  };
}

function numberIn(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

function validatorOf(answer: Answer): string | null {
  const tag = header(answer, 'etag');
  if (tag?.startsWith('"')) return tag;
  const modified = header(answer, 'last-modified');
  const modifiedAt = Date.parse(modified ?? '');
  const sentAt = Date.parse(header(answer, 'date') ?? '');
  // A file may change twice in the second that its time names (RFC 9110, 8.8.2.2).
  return sentAt - modifiedAt >= 1000 ? modified : null;
}

function refusal(answer: Answer, host: string, now: Date): Trouble {
  const { status } = answer;
  const said = `${host} answered with status ${status}`;
  if (status === 401) {
    return finalTrouble(
      'InvalidUsernameOrPasswordError',
      `${host} asks for a user name and a password, and was not given the right ones.`,
    );
  }
  if (status === 403) return finalTrouble('DownloadAccessDeniedError', `${said}: access denied.`);
  if (status === 404 || status === 410) return finalTrouble('FileNotFoundError', `${said}: no such file.`);
  const isPassing = status === 408 || status === 425 || status === 429 || status >= 500;
  if (!isPassing || status === 501 || status === 505) return finalTrouble('DownloadFailureError', `${said}.`);
  return passingTrouble('DownloadFailureError', `${said}.`, retryAfterMs(header(answer, 'retry-after'), now));
}

function retryAfterMs(value: string | null, now: Date): number | null {
  if (value === null) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now.getTime();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

function failed(message: string): AnswerReading {
  return { type: 'trouble', trouble: finalTrouble('DownloadFailureError', message) };
}

function header(answer: Answer, name: string): string | null {
  const value = answer.headers[name];
  return (typeof value === 'string' ? value : value?.[0]) ?? null;
}
