import { VencError } from '../api/errors.js';
import type { RequestFields } from '../api/settings/flag-values.js';
import { readableFileSize, readTextFile } from './files.js';
import type { Io } from './io.js';

/** What the argument of `submit` and `run` turned out to be. */
export type JobInput =
  | { readonly kind: 'request'; readonly request: RequestFields }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string; readonly sizeBytes: number };

/**
 * Looks at the argument: `-` is a request on stdin, a word with a scheme a URL, a local name ending in `.json` a
 * request, any other a media file. Rejects with `UsageError` where it cannot be read or is no request.
 */
export async function readJobInput(word: string, io: Io): Promise<JobInput> {
  if (word === '-') return { kind: 'request', request: parseRequest(await readAll(io.stdin), 'on stdin') };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return { kind: 'url', url: word };
  if (/\.json$/i.test(word)) {
    return { kind: 'request', request: parseRequest(await readTextFile(word), `in ${word}`) };
  }
  if (/\.xml$/i.test(word)) {
    throw new VencError('UsageError', `${word} ends in .xml, but requests are read as JSON.`);
  }
  return { kind: 'file', path: word, sizeBytes: await readableFileSize(word) };
}

function parseRequest(text: string, where: string): RequestFields {
  const value = parsed(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new VencError('UsageError', `The request ${where} is no JSON object.`, {
    hint: 'the least there can be is {"input": "https://example.com/film.mov"}',
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message repeats a part of the text, which may be secret.
    return undefined;
  }
}

async function readAll(stream: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
