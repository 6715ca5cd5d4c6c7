import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableFile } from '../hosted-files/hosted-file-store.js';
import { contentTypeOf } from '../transfer/content-type.js';
import type { Reply, RequestContext } from './request-context.js';

/** A file to send. */
interface ServedFile extends ReadableFile {
  readonly name: string;
}

/** Answers with a file, whole or the range that the client asks for; 304 if the client has it already. */
export function fileReply(
  { incoming, method }: Pick<RequestContext, 'incoming' | 'method'>,
  file: ServedFile,
): Reply {
  const { name, sizeBytes, modifiedAt } = file;
  const version = file.version ?? modifiedAt.getTime().toString(16);
  const etag = `"${sizeBytes.toString(16)}-${version}"`;
  const headers = {
    'Content-Type': contentTypeOf(name),
    'Accept-Ranges': 'bytes',
    'Last-Modified': modifiedAt.toUTCString(),
    ETag: etag,
    ...untrustedContentHeaders(name),
  };
  if (isFresh(incoming.headers, etag, modifiedAt)) return { status: 304, headers };
  const ifRange = incoming.headers['if-range'];
  const isUnchanged = ifRange === undefined || ifRange === etag || ifRange === headers['Last-Modified'];
  const range = isUnchanged ? readByteRange(incoming.headers.range, sizeBytes) : null;
  if (range === 'unsatisfiable') {
    return {
      status: 416,
      headers: { 'Content-Range': `bytes */${sizeBytes}` },
      record: { errors: ['The file has no such bytes.'] },
    };
  }
  const { first, last } = range ?? { first: 0, last: sizeBytes - 1 };
  const length = { 'Content-Length': String(last - first + 1) };
  const partial = range === null ? {} : { 'Content-Range': `bytes ${first}-${last}/${sizeBytes}` };
  const reply = { status: range === null ? 200 : 206, headers: { ...headers, ...length, ...partial } };
  if (method === 'HEAD' || sizeBytes === 0) return reply;
  return { ...reply, stream: Readable.toWeb(file.read({ start: first, end: last })) as ReadableStream };
}

/** The types that browsers show or play without running anything. All others are downloaded. */
const inlineTypes =
  /^(?:(?:audio|video)\/|image\/(?:avif|gif|jpeg|png|webp)$|text\/vtt$|application\/vnd\.apple\.mpegurl$)/;

/**
 * The content of a file is not trusted, and neither is its name: a browser must never treat it as a page of this daemon.
 * Players fetch files by script, for which neither the disposition nor the sandbox counts.
 */
function untrustedContentHeaders(name: string) {
  const disposition = inlineTypes.test(contentTypeOf(name)) ? 'inline' : 'attachment';
  return {
    'X-Content-Type-Options': 'nosniff',
    'Content-Disposition': `${disposition}; ${fileNameParameters(name)}`,
    'Content-Security-Policy': 'sandbox',
  };
}

/**
 * A file name as the parameters of `Content-Disposition` (RFC 6266): as a quoted string, and if that cannot have all of
 * its characters, exactly in `filename*` (RFC 8187). A quoted string has no "%", because some browsers decode it.
 */
export function fileNameParameters(name: string): string {
  const whole = name.replace(/\p{Surrogate}/gu, '_');
  const quoted = whole.replace(/[^\x20-\x7e]|["\\%/]/gu, '_');
  if (quoted === whole) return `filename="${quoted}"`;
  const encoded = encodeURIComponent(whole).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${quoted}"; filename*=UTF-8''${encoded}`;
}

/**
 * Whether the client has this version of a file: RFC 9110, section 13.1. `If-Modified-Since` counts only without
 * `If-None-Match`.
 */
function isFresh(
  { 'if-none-match': tags, 'if-modified-since': since = '' }: IncomingHttpHeaders,
  etag: string,
  modifiedAt: Date,
): boolean {
  if (tags === undefined) return Math.floor(modifiedAt.getTime() / 1000) * 1000 <= Date.parse(since);
  return tags.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}

/** A range of bytes; the first and the last one are included. */
interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Parses a `Range` header for a file of a size. Returns null for the whole file (no header, several ranges,
 * another unit, or a malformed range, which HTTP says to ignore), and `unsatisfiable` if the file has no such
 * bytes (416).
 */
export function readByteRange(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '');
  const [from, to] = [match?.[1] ?? '', match?.[2] ?? ''];
  if (match === null || (from === '' && to === '')) return null;
  if (from === '') {
    const length = Math.min(Number(to), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { first: sizeBytes - length, last: sizeBytes - 1 };
  }
  const first = Number(from);
  const last = to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  if (to !== '' && Number(to) < first) return null;
  return first >= sizeBytes ? 'unsatisfiable' : { first, last };
}
