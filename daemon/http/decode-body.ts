import { isUtf8 } from 'node:buffer';
import { VencError } from '../../src/shared/errors.js';

/**
 * The text that a body's bytes stand for. How they are encoded is told by a byte-order mark, else by `charset` of the
 * Content-Type, else by the bytes themselves (zeros beside the first character mean UTF-16; an XML declaration names its
 * encoding), else it is UTF-8. Throws `UnsupportedMediaTypeError` (415) for an encoding that is not known, `UnparsableBodyError`
 * (400) for bytes that are not in it.
 */
export function decodeBody(bytes: Buffer, contentType: string): string {
  const encoding = encodingOfBom(bytes) ?? charsetOf(contentType, bytes) ?? detectEncoding(bytes) ?? 'utf-8';
  return /^(?:utf-?8|us-ascii|ascii)$/i.test(encoding) ? utf8Text(bytes) : decode(bytes, encoding);
}

function utf8Text(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw invalidEncodingError('UTF-8');
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return bytes.toString('utf8', start);
}

function encodingOfBom(bytes: Buffer): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

function charsetOf(contentType: string, bytes: Buffer): string | undefined {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1];
  // This name leaves open which byte comes first.
  return charset?.toLowerCase() === 'utf-16' ? (detectUtf16(bytes) ?? charset) : charset;
}

function detectEncoding(bytes: Buffer): string | undefined {
  const declared = /^<\?xml\s[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(
    bytes.toString('latin1', 0, 256),
  );
  const encoding = declared?.[1];
  // Where the declaration could be read byte by byte, the text is in nothing that takes two bytes for each character.
  if (encoding !== undefined && /^(?:utf-?16|utf-?32|ucs-?[24])/i.test(encoding)) {
    throw new VencError(
      'UnparsableBodyError',
      `The XML declaration says ${encoding}, but the body is in another encoding: name that one, best UTF-8, or add "; charset=utf-8" to the Content-Type.`,
    );
  }
  return encoding ?? detectUtf16(bytes);
}

/** JSON and XML both begin with a character of ASCII, of which UTF-16 makes a zero and the character itself. */
function detectUtf16([first, second]: Buffer): string | undefined {
  if (first === undefined || second === undefined || (first === 0) === (second === 0)) return undefined;
  return first === 0 ? 'utf-16be' : 'utf-16le';
}

function decode(bytes: Buffer, encoding: string): string {
  const decoder = createDecoder(encoding);
  try {
    // In two steps, as Node 20 takes a short cut otherwise that mistakes windows-1252 for ISO-8859-1: its euro sign would be a control character.
    return decoder.decode(bytes, { stream: true }) + decoder.decode();
  } catch (error) {
    throw invalidEncodingError(encoding, error);
  }
}

function createDecoder(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch (error) {
    throw new VencError(
      'UnsupportedMediaTypeError',
      `The encoding ${encoding.slice(0, 64)} is not known: send UTF-8.`,
      { cause: error },
    );
  }
}

function invalidEncodingError(encoding: string, cause?: unknown): VencError {
  return new VencError(
    'UnparsableBodyError',
    `The body is not valid text in the encoding ${encoding.slice(0, 64)}: send UTF-8.`,
    { cause },
  );
}
