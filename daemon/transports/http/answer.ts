import { finalTrouble, passingTrouble, type Trouble } from '../remote/trouble.js';

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

/** What was asked for: all of a file, or the rest of a known one. */
export interface Asked {
  readonly fromByte: number;
  readonly known: KnownFile | null;
}

/** What an answer brings. */
export type AnswerReading =
  | { readonly type: 'body'; readonly fromByte: number; readonly file: KnownFile }
  | { readonly type: 'redirect'; readonly location: string }
  /** What was received so far is of no use: the file is another one now. */
  | { readonly type: 'changed' }
  | { readonly type: 'trouble'; readonly trouble: Trouble };

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const packed = /^(?:x-)?(?:gzip|compress|deflate|br|zstd)$/i;

/** Reads an answer to a GET (contract, section 3 and 9). `host` is named in messages; `now` is for dates in `Retry-After`. */
export function readAnswer(answer: Answer, asked: Asked, host: string, now: Date): AnswerReading {
  const { status } = answer;
  if (redirects.has(status)) {
    const location = header(answer, 'location');
    if (location === null) return failed(`${host} redirects to nowhere (status ${status}).`);
    return { type: 'redirect', location };
  }
  if (status === 200 || status === 206) {
    const encoding = header(answer, 'content-encoding') ?? '';
    if (packed.test(encoding)) {
      return failed(`${host} sends the file packed (${encoding}), though it was asked not to.`);
    }
    return status === 200
      ? { type: 'body', fromByte: 0, file: wholeFile(answer) }
      : partOf(answer, asked, host);
  }
  if (status === 416 && asked.fromByte > 0) return { type: 'changed' };
  return { type: 'trouble', trouble: refusal(answer, host, now) };
}

function partOf(answer: Answer, asked: Asked, host: string): AnswerReading {
  if (asked.fromByte === 0)
    return failed(`${host} sends a part of the file, though all of it was asked for.`);
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/i.exec(header(answer, 'content-range') ?? '');
  const totalBytes = range?.[2] === undefined || range[2] === '*' ? null : Number(range[2]);
  const validator = header(answer, 'etag') ?? header(answer, 'last-modified');
  const isSame =
    Number(range?.[1]) === asked.fromByte &&
    (totalBytes === null || asked.known?.totalBytes == null || totalBytes === asked.known.totalBytes) &&
    (validator === null || isKnownValidator(answer, asked.known));
  if (!isSame) return { type: 'changed' };
  const known = asked.known ?? { validator: null, totalBytes: null };
  return {
    type: 'body',
    fromByte: asked.fromByte,
    file: { ...known, totalBytes: known.totalBytes ?? totalBytes },
  };
}

/** A server may ignore `If-Range` and send a part of another file: what the part says of itself is compared as well. */
function isKnownValidator(answer: Answer, known: KnownFile | null): boolean {
  const isTag = known?.validator?.startsWith('"') ?? false;
  const given = header(answer, isTag ? 'etag' : 'last-modified');
  return given === null || given === known?.validator;
}

function wholeFile(answer: Answer): KnownFile {
  const length = header(answer, 'content-length');
  return { validator: validatorOf(answer), totalBytes: length === null ? null : Number(length) };
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
