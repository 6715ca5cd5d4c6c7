import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { VencError } from '../../src/shared/errors.js';
import { systemCode } from '../../src/shared/util/system-code.js';

/**
 * Maximum size of a request body in bytes, after decompression (contract, section 3). Uploads are not limited
 * by it.
 */
const maxBodyBytes = 1024 * 1024;

/** The Content-Type of a request. */
interface ContentTypeInfo {
  readonly type: string;
  readonly language: 'JSON' | 'XML' | 'another' | 'none';
}

/**
 * Reads a request body as a JSON value; undefined if it is empty. JSON is accepted under any Content-Type.
 * XML is accepted under its own or, if it begins with `<`, under any that does not say JSON; an XML request
 * is converted to its JSON equivalent (section 4.1). Rejects with `PayloadTooLargeError` (413),
 * `UnsupportedMediaTypeError` (415) or `UnparsableBodyError` (400).
 */
export async function readBody(incoming: IncomingMessage, maxBytes = maxBodyBytes): Promise<unknown> {
  const contentType = incoming.headers['content-type'] ?? '';
  const text = decodeBody(await readBodyBytes(incoming, maxBytes), contentType);
  const looksLikeXml = /^\s*</.test(text);
  const contentTypeInfo = parseContentType(contentType);
  if (!looksLikeXml) {
    const json = parseJson(text);
    if ('value' in json) return json.value;
    if (text.trim() === '') return undefined;
    const key = contentTypeInfo.type === formType ? parseKeyForm(text) : null;
    if (key !== null) return { api_key: key };
    if (contentTypeInfo.language !== 'XML')
      throw malformedBodyError(asSent(contentTypeInfo, text), 'JSON', json.syntaxError);
  }
  if (contentTypeInfo.language === 'JSON')
    throw malformedBodyError(contentTypeInfo, 'JSON', 'it begins like XML');
  // Most requests are JSON and need no XML parser.
  const { readXmlRequest } = await import('../../src/shared/xml/read-xml-request.js');
  const result = readXmlRequest(text);
  if ('value' in result) return result.value;
  const { what, place } = result.syntaxError;
  throw malformedBodyError(contentTypeInfo, 'XML', `line ${place.line}, column ${place.column}: ${what}`);
}

/** The Content-Type that `curl -d` sends for any body. */
const formType = 'application/x-www-form-urlencoded';

/**
 * The key in a form that holds nothing else, as old scripts send it with a cancel (section 4.5); null for any
 * other form.
 */
function parseKeyForm(text: string): string | null {
  const fields = [...new URLSearchParams(text.trim())];
  const [field] = fields;
  return fields.length === 1 && field?.[0] === 'api_key' ? field[1] : null;
}

function parseContentType(contentType: string): ContentTypeInfo {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (type === '') return { type, language: 'none' };
  if (type.includes('json')) return { type, language: 'JSON' };
  return { type, language: type.includes('xml') ? 'XML' : 'another' };
}

/** The Content-Type that was meant: `curl -d` calls JSON a form. */
function asSent(contentTypeInfo: ContentTypeInfo, text: string): ContentTypeInfo {
  const isJson = contentTypeInfo.type === formType && /^\s*[{[]/.test(text);
  return isJson ? { ...contentTypeInfo, language: 'none' } : contentTypeInfo;
}

/** The error for a malformed body: 415 under an unsupported Content-Type, else 400. */
function malformedBodyError(
  { type, language }: ContentTypeInfo,
  expectedLanguage: 'JSON' | 'XML',
  syntaxError: string,
): VencError {
  return language === 'another'
    ? new VencError(
        'UnsupportedMediaTypeError',
        `Content-Type ${type.slice(0, 64)} is not supported; send JSON or XML. The body is not valid ${expectedLanguage} either: ${syntaxError}.`,
      )
    : new VencError('UnparsableBodyError', `The body is not valid ${expectedLanguage}: ${syntaxError}.`);
}

function parseJson(text: string): { readonly value: unknown } | { readonly syntaxError: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { syntaxError: jsonSyntaxError(error, text) };
  }
}

/**
 * The message of JSON.parse, with line and column instead of an offset, and without the excerpt of the body,
 * which may be secret.
 */
function jsonSyntaxError(error: unknown, text: string): string {
  if (!(error instanceof SyntaxError)) return 'it cannot be parsed';
  const [, what = '', position] =
    /^(.*?)(?:, (?:\.\.\.)?".*| in JSON at position (\d+).*)?$/s.exec(error.message) ?? [];
  if (position === undefined) return what;
  const lines = text.slice(0, Number(position)).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}: ${what}`;
}

/** The maximum overhead of gzip for incompressible data, including a file name in its header. */
const gzipOverheadBytes = 64 * 1024;
const gunzipAsync = promisify(gunzip);

/**
 * The bytes of a request body, decompressed if they are gzip, up to `maxBytes`. Rejects with
 * `PayloadTooLargeError` (413), `UnsupportedMediaTypeError` (415) or `UnparsableBodyError` (400). The rest of
 * a body that is too large is discarded, so that the client can read the error.
 */
async function readBodyBytes(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = (incoming.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return readLimited(incoming, maxBytes, maxBytes);
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw new VencError(
      'UnsupportedMediaTypeError',
      `The Content-Encoding ${encoding.slice(0, 64)} is not supported: send gzip or none.`,
    );
  }
  return decompress(await readLimited(incoming, maxBytes + gzipOverheadBytes, maxBytes), maxBytes);
}

/**
 * Uses events instead of iterating over the stream: leaving the loop early closes the connection, and the
 * error would not arrive.
 */
function readLimited(incoming: IncomingMessage, maxReceivedBytes: number, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxReceivedBytes) settle(() => reject(tooLarge(maxBytes)));
    };
    const onEnd = (): void => settle(() => resolve(Buffer.concat(chunks, size)));
    const onError = (cause?: unknown): void =>
      settle(() =>
        reject(
          new VencError('UnparsableBodyError', 'The body is incomplete: the connection ended early.', {
            cause,
          }),
        ),
      );
    const settle = (complete: () => void): void => {
      incoming.off('data', onData).off('end', onEnd).off('error', onError).off('close', onError);
      complete();
    };
    if (incoming.destroyed && !incoming.readableEnded) return onError(incoming.errored);
    incoming.on('data', onData).on('end', onEnd).on('error', onError).on('close', onError);
  });
}

async function decompress(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await gunzipAsync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if (systemCode(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new VencError(
      'UnparsableBodyError',
      'The body is not valid or complete gzip, which its Content-Encoding declares.',
      {
        cause: error,
      },
    );
  }
}

function tooLarge(maxBytes: number): VencError {
  return new VencError('PayloadTooLargeError', `The body is larger than ${maxBytes} bytes.`);
}

/**
 * Decodes the text of a body. The encoding is that of a byte-order mark, else of `charset` in the
 * Content-Type, else of an XML declaration, else UTF-8. Throws `UnsupportedMediaTypeError` (415) for an unknown
 * encoding, `UnparsableBodyError` (400) for bytes that are invalid in it.
 */
function decodeBody(bytes: Buffer, contentType: string): string {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1];
  const encoding = encodingOfMark(bytes) ?? charset ?? declaredEncoding(bytes) ?? 'UTF-8';
  // For TextDecoder, ASCII is windows-1252.
  return decode(bytes, /^(?:utf-?8|us-ascii|ascii)$/i.test(encoding) ? 'UTF-8' : encoding);
}

function encodingOfMark([first, second, third]: Buffer): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'UTF-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

function declaredEncoding(bytes: Buffer): string | undefined {
  const start = bytes.toString('latin1', 0, 256);
  const encoding = /^<\?xml\s[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1];
  // If the declaration is readable byte by byte, the text is not in an encoding with two bytes per character.
  if (encoding !== undefined && /^(?:utf-?16|utf-?32|ucs-?[24])/i.test(encoding)) {
    throw new VencError(
      'UnparsableBodyError',
      `The XML declaration says ${encoding}, but the body is in another encoding: declare that one, preferably UTF-8, or add "; charset=utf-8" to the Content-Type.`,
    );
  }
  return encoding;
}

function decode(bytes: Buffer, encoding: string): string {
  const decoder = createDecoder(encoding);
  try {
    if (decoder.encoding === 'utf-8') return decoder.decode(bytes);
    // In two steps: Node 20 has a fast path for whole input that mistakes windows-1252 for ISO-8859-1, so
    // that the euro sign becomes a control character.
    return decoder.decode(bytes, { stream: true }) + decoder.decode();
  } catch (cause) {
    throw new VencError(
      'UnparsableBodyError',
      `The body is not valid text in the encoding ${encoding.slice(0, 64)}: send UTF-8.`,
      { cause },
    );
  }
}

function createDecoder(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch (cause) {
    throw new VencError(
      'UnsupportedMediaTypeError',
      `The encoding ${encoding.slice(0, 64)} is not known: send UTF-8.`,
      { cause },
    );
  }
}
