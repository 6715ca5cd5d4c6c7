import { pathToFileURL } from 'node:url';
import { isVencError, VencError } from '../../shared/errors.js';
import type { RequestFields } from '../../shared/settings/setting.js';
import { parseJsonSyntax } from '../../shared/text/json-syntax.js';
import { isUrl } from '../../shared/text/url-text.js';
import { isObject, isTooDeep } from '../../shared/util/is-object.js';
import type { Io } from '../terminal/io.js';
import { readableFileSize, readTextFile } from './files.js';
import { buildRequestBody, type JobArgs, loadPreset } from './job-args.js';
import { printRequestWarnings } from './print-warnings.js';

/** The parsed argument of `submit`, `run` or `plan`. */
type SubmitInput =
  | { readonly kind: 'request'; readonly request: RequestFields }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string; readonly sizeBytes: number };

/** Parses an XML request to the equivalent JSON value, or to a syntax error with its position. */
export type ParseXml = (text: string) => Promise<
  | { readonly value: unknown }
  | {
      readonly syntaxError: {
        readonly what: string;
        readonly place: { readonly line: number; readonly column: number };
      };
    }
>;

/** How to read requests. */
interface RequestReader {
  /** Parse all requests as XML. */
  readonly isXml?: boolean;
  readonly parseXml: ParseXml;
}

/**
 * Reads the argument: `-` is a request on stdin, an argument with a scheme is a URL, a local name ending in `.json` or
 * `.xml` is a request, and any other is a media file. A request on stdin that starts with `<` is XML. Rejects with
 * `UsageError` if it cannot be read or is not a request.
 */
export async function readJobInput(arg: string, io: Io, reader: RequestReader): Promise<SubmitInput> {
  if (arg === '-') {
    if (io.isTerminal.stdin) io.writeStderr('venc: type a request, and end it with Ctrl-D\n');
    const text = await readAll(io.stdin);
    // Bytes that are not UTF-8 are replaced, and no request has a character of zero.
    if (/[\0\ufffd]/.test(text.slice(0, 4096))) {
      throw new VencError('UsageError', 'A film cannot be read from stdin.', {
        hint: 'give a path or a URL',
      });
    }
    return { kind: 'request', request: await readRequest(text, 'on stdin', reader) };
  }
  const isAddress = isUrl(arg);
  if (!isAddress && (reader.isXml === true || isRequestName(arg))) {
    const isXml = reader.isXml === true || /\.xml$/i.test(arg);
    const request = await readRequest(await readTextFile(arg), `in ${arg}`, { ...reader, isXml });
    return { kind: 'request', request };
  }
  if (reader.isXml === true) {
    throw new VencError('UsageError', '--xml needs a request: a file, or - for stdin.');
  }
  if (isAddress) return { kind: 'url', url: arg };
  return { kind: 'file', path: arg, sizeBytes: await readableFileSize(arg) };
}

/** Whether an argument names a request: `-`, or a local file that ends in `.json` or `.xml`. */
export function isRequestName(arg: string): boolean {
  return arg === '-' || (!isUrl(arg) && /\.(?:json|xml)$/i.test(arg));
}

async function readRequest(
  text: string,
  source: string,
  { isXml, parseXml }: RequestReader,
): Promise<RequestFields> {
  if (text.trim() === '') {
    throw new VencError('UsageError', `The request ${source} is empty.`, {
      hint: 'the minimum is {"input": "https://example.com/film.mov"}',
    });
  }
  if (isXml ?? /^\s*</.test(text))
    return parseXmlRequest(await parseXmlNamed(text, source, parseXml), source);
  return parseRequest(text, source);
}

/** Parses XML. An error about the request names its source; the error of the service is that of a body. */
async function parseXmlNamed(text: string, source: string, parseXml: ParseXml) {
  try {
    return await parseXml(text);
  } catch (error) {
    if (!isVencError(error, 'UnparsableBodyError')) throw error;
    const message = error.message.replace(/^The XML body, /, `The request ${source} is not valid: `);
    throw new VencError('UsageError', message, { cause: error });
  }
}

function parseXmlRequest(parsed: Awaited<ReturnType<ParseXml>>, source: string): RequestFields {
  if ('syntaxError' in parsed) {
    const { what, place } = parsed.syntaxError;
    const offset = `line ${place.line}, column ${place.column}`;
    throw new VencError('UsageError', `The request ${source} is not valid XML: ${offset}: ${what}.`);
  }
  const { value } = parsed;
  if (isObject(value)) return { ...value };
  throw new VencError('UsageError', `The request ${source} has no fields.`, {
    hint: 'the minimum is <api-request><input>https://example.com/film.mov</input></api-request>',
  });
}

/** Parses a JSON request. Throws `UsageError` with the position of a syntax error, without repeating the text. */
export function parseRequest(text: string, source: string): RequestFields {
  const json = text.replace(/^\uFEFF/, '');
  const result = parseJsonSyntax(json);
  const value = 'value' in result ? result.value : undefined;
  if (isTooDeep(value)) throw new VencError('UsageError', `The request ${source} is nested too deeply.`);
  if (isObject(value)) return { ...value };
  const position = 'value' in result ? null : result.position;
  const errorPosition = position === null ? '' : `: syntax error at ${position}`;
  throw new VencError('UsageError', `The request ${source} is not a JSON object${errorPosition}.`, {
    hint: 'the minimum is {"input": "https://example.com/film.mov"}',
  });
}

async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * The request of `run` and `plan`: the argument merged with the flags. A local file, also an input or a caption file
 * that a request names by its path, becomes a `file:` URL. Rejects with `UsageError` if the argument cannot be read or
 * a flag is invalid.
 */
export async function localRequest(arg: string, options: JobArgs, io: Io, parseXml: ParseXml) {
  const input = await readJobInput(arg, io, { parseXml });
  const preset = await loadPreset(options, io.env);
  if (input.kind === 'request') {
    const { toCaptionUrls } = await import('./local-watermarks.js');
    const local = await toCaptionUrls(await withLocalInput(input.request), new Map(), true);
    const request = await buildRequestBody({ request: local, input: null, preset }, options);
    await printRequestWarnings(request, { io, typed: { arg, args: options } });
    return request;
  }
  const address = input.kind === 'url' ? input.url : pathToFileURL(input.path).href;
  return buildRequestBody({ request: null, input: address, preset }, options);
}

/**
 * The request with the path of a local file as its input replaced by a `file:` URL. Rejects with `UsageError` if it
 * cannot be read.
 */
async function withLocalInput(request: RequestFields): Promise<RequestFields> {
  const { input } = request;
  // A text such as `s3:bucket/film.mov` is a URL without its slashes rather than a path.
  if (typeof input !== 'string' || input === '' || /^[a-z][a-z0-9+.-]*:/i.test(input)) return request;
  await readableFileSize(input);
  return { ...request, input: pathToFileURL(input).href };
}
