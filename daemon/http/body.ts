import type { IncomingMessage } from 'node:http';
import { VencError } from '../../src/shared/errors.js';
import { readBodyBytes } from './body-bytes.js';
import { decodeBody } from './decode-body.js';

/** Greatest size of a request body in bytes, after unpacking (contract, section 3): uploads are no such bodies. */
const maxBodyBytes = 1024 * 1024;

/** What the Content-Type of a request says it is. */
interface ContentTypeInfo {
  readonly type: string;
  readonly language: 'JSON' | 'XML' | 'another' | 'none';
}

/**
 * Reads a request body as JSON has it; undefined where it is empty. JSON is taken whatever its label, XML under its own label or, beginning
 * with `<`, under any that does not say JSON; an XML request comes out as its JSON twin would (section 4.1). Rejects with
 * `PayloadTooLargeError` (413), `UnsupportedMediaTypeError` (415) or `UnparsableBodyError` (400).
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
      throw malformedBodyError(contentTypeInfo, 'JSON', json.syntaxError);
  }
  if (contentTypeInfo.language === 'JSON')
    throw malformedBodyError(contentTypeInfo, 'JSON', 'it begins like XML');
  // Most requests are JSON: they need no parser of XML.
  const { readXmlRequest } = await import('./representations/xml/read-xml-request.js');
  const result = readXmlRequest(text);
  if ('value' in result) return result.value;
  const { what, place } = result.syntaxError;
  throw malformedBodyError(contentTypeInfo, 'XML', `line ${place.line}, column ${place.column}: ${what}`);
}

/** What `curl -d` says that a body is, whatever it is. */
const formType = 'application/x-www-form-urlencoded';

/** A form that holds nothing but the key, as scripts of old send it with a cancel (section 4.5); null for any other. */
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

/** A body under a foreign label is of a type that is not understood; any other only has a mistake. */
function malformedBodyError(
  { type, language }: ContentTypeInfo,
  expectedLanguage: 'JSON' | 'XML',
  syntaxError: string,
): VencError {
  return language === 'another'
    ? new VencError(
        'UnsupportedMediaTypeError',
        `A body of the type ${type.slice(0, 64)} is taken only where it is JSON or XML. This is not valid ${expectedLanguage}: ${syntaxError}.`,
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

/** What JSON.parse says, with line and column for its count of characters, and without the piece of the body: that may be secret. */
function jsonSyntaxError(error: unknown, text: string): string {
  if (!(error instanceof SyntaxError)) return 'it cannot be parsed';
  const [, what = '', position] =
    /^(.*?)(?:, (?:\.\.\.)?".*| in JSON at position (\d+).*)?$/s.exec(error.message) ?? [];
  if (position === undefined) return what;
  const lines = text.slice(0, Number(position)).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}: ${what}`;
}
