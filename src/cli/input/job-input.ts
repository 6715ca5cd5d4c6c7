import { text as readText } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { isVencError, VencError } from '../../shared/errors.js';
import type { RequestFields } from '../../shared/settings/setting.js';
import { parseJsonSyntax } from '../../shared/text/json-syntax.js';
import { isUrl } from '../../shared/text/url-text.js';
import { isObject, isTooDeep } from '../../shared/util/is-object.js';
import type { Io } from '../terminal/io.js';
import { readableFileSize, readTextFile } from './files.js';
import { buildRequestBody, type JobArgs } from './job-args.js';
import { type Spool, spoolStdin } from './spool-stdin.js';
import { printRequestWarnings } from './typed-request.js';

/** The parsed argument of `submit`, `run` or `plan`. */
type SubmitInput =
  | { readonly kind: 'request'; readonly request: RequestFields }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string; readonly sizeBytes: number };

/**
 * Reads the argument: `-` is a request on stdin, an argument with a scheme is a URL, a local name ending in `.json` or
 * `.xml` is a request, and any other is a media file. A request on stdin that starts with `<` is XML. Rejects with
 * `UsageError` if it cannot be read or is not a request. With `isXml` every request is XML. With a `spool`, other data
 * on stdin is a media file.
 */
export async function readJobInput(
  arg: string,
  io: Io,
  { isXml = false, spool }: { readonly isXml?: boolean; readonly spool?: Spool | undefined } = {},
): Promise<SubmitInput> {
  if (arg === '-') {
    if (spool !== undefined && !io.isTerminal.stdin) {
      const found = await spoolStdin(io.stdin(), spool);
      if (found.kind === 'file') return found;
      return {
        kind: 'request',
        request: await readRequest(found.text, 'on stdin', /^\s*</.test(found.text)),
      };
    }
    if (io.isTerminal.stdin) io.writeInfo('venc: type a request, and end it with Ctrl-D\n');
    const text = await readText(io.stdin());
    // Bytes that are not UTF-8 are replaced, and no request has a character of zero.
    if (/[\0\ufffd]/.test(text.slice(0, 4096))) {
      const hint = spool === undefined ? 'give a path or a URL' : 'pipe the film into venc';
      throw new VencError('UsageError', 'A film cannot be read from stdin.', { hint });
    }
    return { kind: 'request', request: await readRequest(text, 'on stdin', isXml || /^\s*</.test(text)) };
  }
  const isAddress = isUrl(arg);
  if (!isAddress && (isXml || isRequestName(arg))) {
    const text = await readTextFile(arg);
    return { kind: 'request', request: await readRequest(text, `in ${arg}`, isXml || /\.xml$/i.test(arg)) };
  }
  if (isXml) {
    throw new VencError('UsageError', '--xml needs a request: a file, or - for stdin.');
  }
  if (isAddress) return { kind: 'url', url: arg };
  return { kind: 'file', path: arg, sizeBytes: await readableFileSize(arg) };
}

/** Whether an argument names a request: `-`, or a local file that ends in `.json` or `.xml`. */
export function isRequestName(arg: string): boolean {
  return arg === '-' || (!isUrl(arg) && /\.(?:json|xml)$/i.test(arg));
}

async function readRequest(text: string, source: string, isXml: boolean): Promise<RequestFields> {
  if (text.trim() === '') {
    throw new VencError('UsageError', `The request ${source} is empty.`, {
      hint: 'the minimum is {"input": "https://example.com/film.mov"}',
    });
  }
  return isXml ? readXml(text, source) : parseRequest(text, source);
}

/** Reads a request in XML. Its errors name the source; that of the service would name a body. */
async function readXml(text: string, source: string): Promise<RequestFields> {
  const { readXmlRequest } = await import('../../shared/xml/read-xml-request.js');
  let parsed: ReturnType<typeof readXmlRequest>;
  try {
    parsed = readXmlRequest(text);
  } catch (error) {
    if (!isVencError(error, 'UnparsableBodyError')) throw error;
    const message = error.message.replace(/^The XML body, /, `The request ${source} is not valid: `);
    throw new VencError('UsageError', message, { cause: error });
  }
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

/**
 * The request of `run` and `plan`: the argument merged with the flags. A local file, also an input or a caption file
 * that a request names by its path, becomes a `file:` URL. Rejects with `UsageError` if the argument cannot be read or
 * a flag is invalid.
 */
export async function localRequest(
  arg: string,
  options: JobArgs,
  { io, spool }: { readonly io: Io; readonly spool?: Spool },
) {
  const input = await readJobInput(arg, io, { spool });
  const captions = await sidecarsOf(input, options, io);
  if (input.kind === 'request') {
    const { toCaptionUrls } = await import('./local-watermarks.js');
    const local = await toCaptionUrls(await withLocalInput(input.request), new Map(), true);
    const request = await buildRequestBody({ request: local, input: null }, options);
    await printRequestWarnings(request, { io, typed: { arg, args: options } });
    return request;
  }
  const address = input.kind === 'url' ? input.url : pathToFileURL(input.path).href;
  return buildRequestBody({ request: null, input: address, captions }, options);
}

/**
 * The request that `localRequest` would return for a media file that cannot be read. Rejects with `UsageError` for
 * requests, whose outputs are not known then.
 */
export async function assumedRequest(arg: string, options: JobArgs) {
  if (isRequestName(arg)) throw new VencError('UsageError', `The outputs of ${arg} are not known.`);
  const input = isUrl(arg) ? arg : pathToFileURL(arg).href;
  return buildRequestBody({ request: null, input }, options);
}

/** The caption files that `--sidecar-subtitles` adds; none without it. Rejects as `readSidecars` does. */
export async function sidecarsOf(
  input: SubmitInput,
  { sidecarSubtitles }: JobArgs,
  io: Io,
): Promise<readonly RequestFields[]> {
  if (sidecarSubtitles !== true) return [];
  const { readSidecars } = await import('./sidecar-subtitles.js');
  return readSidecars(input.kind === 'file' ? input.path : null, io);
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
