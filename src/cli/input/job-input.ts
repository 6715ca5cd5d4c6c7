import { VencError } from '../../shared/errors.js';
import type { RequestFields } from '../../shared/settings/flag-values.js';
import { isUrl } from '../../shared/text/url-text.js';
import { isObject } from '../../shared/util/is-object.js';
import { isTooDeep } from '../../shared/util/is-too-deep.js';
import type { Io } from '../terminal/io.js';
import { readableFileSize, readTextFile } from './files.js';

/** What the argument of `submit` and `run` turned out to be. */
export type JobInput =
  | { readonly kind: 'request'; readonly request: RequestFields }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string; readonly sizeBytes: number };

/** Reads an XML request: its value as JSON has it, or why and where it is no XML. */
export type ReadXml = (text: string) => Promise<
  | { readonly value: unknown }
  | {
      readonly mistake: {
        readonly what: string;
        readonly place: { readonly line: number; readonly column: number };
      };
    }
>;

/** How requests are read. */
export interface Reader {
  /** Requests are XML, whatever they look like. */
  readonly isXml?: boolean;
  readonly readXml: ReadXml;
}

/**
 * Looks at the argument: `-` is a request on stdin, a word with a scheme a URL, a local name ending in `.json` or `.xml` a
 * request, any other a media file. On stdin what begins with `<` is XML. Rejects with `UsageError` where it cannot be read or is no
 * request, `UnparsableBodyError` for XML that is none.
 */
export async function readJobInput(word: string, io: Io, reader: Reader): Promise<JobInput> {
  if (word === '-') {
    if (io.isTerminal.stdin) io.note('venc: type a request, and end it with Ctrl-D\n');
    const text = await readAll(io.stdin);
    return { kind: 'request', request: await readRequest(text, 'on stdin', reader) };
  }
  const isAddress = isUrl(word);
  if (!isAddress && (reader.isXml === true || isRequestName(word))) {
    const isXml = reader.isXml === true || /\.xml$/i.test(word);
    const request = await readRequest(await readTextFile(word), `in ${word}`, { ...reader, isXml });
    return { kind: 'request', request };
  }
  if (reader.isXml === true) {
    throw new VencError('UsageError', '--xml goes with a request: a file, or - for stdin.');
  }
  if (isAddress) return { kind: 'url', url: word };
  return { kind: 'file', path: word, sizeBytes: await readableFileSize(word) };
}

/** Whether an argument names a request: `-` or a local file that ends in `.json` or `.xml`. */
export function isRequestName(word: string): boolean {
  return word === '-' || (!isUrl(word) && /\.(?:json|xml)$/i.test(word));
}

async function readRequest(text: string, where: string, { isXml, readXml }: Reader): Promise<RequestFields> {
  if (isXml ?? /^\s*</.test(text)) return parseXmlRequest(await readXml(text), where);
  return parseRequest(text, where);
}

function parseXmlRequest(reading: Awaited<ReturnType<ReadXml>>, where: string): RequestFields {
  if ('mistake' in reading) {
    const { what, place } = reading.mistake;
    const at = `line ${place.line}, column ${place.column}`;
    throw new VencError('UsageError', `The request ${where} is not valid XML: ${at}: ${what}.`);
  }
  const { value } = reading;
  if (isObject(value)) return { ...value };
  throw new VencError('UsageError', `The request ${where} has no fields.`, {
    hint: 'the least there can be is <api-request><input>https://example.com/film.mov</input></api-request>',
  });
}

/** The object that a request in JSON is. Throws `UsageError`, which says where a slip is and repeats nothing of the text. */
export function parseRequest(text: string, where: string): RequestFields {
  const json = text.replace(/^\uFEFF/, '');
  const { value, at } = readJson(json);
  if (isTooDeep(value)) throw new VencError('UsageError', `The request ${where} nests too deep.`);
  if (isObject(value)) return { ...value };
  const slip = at === undefined ? '' : `: there is a slip at ${placeIn(json, at)}`;
  throw new VencError('UsageError', `The request ${where} is no JSON object${slip}.`, {
    hint: 'the least there can be is {"input": "https://example.com/film.mov"}',
  });
}

/** The value, or at which position the text is no JSON any more, as far as the parser tells. */
function readJson(text: string): { readonly value?: unknown; readonly at?: number } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    // The parser's own message repeats a part of the text, which may be secret.
    const position = /at position (\d+)/.exec(String(error))?.[1];
    return position === undefined ? {} : { at: Number(position) };
  }
}

function placeIn(text: string, at: number): string {
  const before = text.slice(0, at).split('\n');
  const column = `column ${(before.at(-1)?.length ?? 0) + 1}`;
  return text.trimEnd().includes('\n') ? `line ${before.length}, ${column}` : column;
}

async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
