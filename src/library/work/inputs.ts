import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isVencError, VencError } from '../../shared/errors.js';
import { isUrl } from '../../shared/text/url-text.js';
import { isObject } from '../../shared/util/is-object.js';
import { writeChunks } from '../../shared/util/write-chunks.js';
import type { Input } from '../declarations.js';
import { optionError, readBoolean } from './read-options.js';

/** What reading an input needs. */
interface InputContext {
  /** A temporary folder. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** The folder that relative paths begin at. */
  readonly cwd: string;
  /** The argument that is read, for errors. */
  readonly field: string;
}

const inputHint = 'pass the path of a file, a URL, or a stream of bytes';

/** The address of an input. A stream is stored in the folder first. */
export async function addressOf(input: Input, context: InputContext): Promise<string> {
  const { field, cwd } = context;
  const text = input instanceof URL ? input.href : input;
  if (typeof text === 'string') {
    if (text === '') throw optionError(field, 'must not be empty', inputHint);
    if (/^file:/i.test(text)) return pathToFileURL(pathOfUrl(text, field)).href;
    return isUrl(text) ? text : pathToFileURL(resolve(cwd, text)).href;
  }
  return pathToFileURL(await storeStream(text, context)).href;
}

/** The path of a local file in an address; null for others. */
export function localPath(address: string): string | null {
  return /^file:/i.test(address) ? fileURLToPath(address) : null;
}

/** The path in a `file:` URL. Throws `InvalidRequestError` if it names none of this machine. */
export function pathOfUrl(url: string, field: string): string {
  try {
    return fileURLToPath(url);
  } catch (error) {
    throw new VencError('InvalidRequestError', `${field} is not a file on this machine.`, {
      ...{ cause: error, field, hint: 'a URL of a local file begins with file:///' },
    });
  }
}

/**
 * Passes the path of an input on this machine to `use`: a file in another place is downloaded first, and a stream is
 * stored.
 */
export async function withLocalInput<T>(
  input: Input,
  { options, ...context }: InputContext & { readonly options: unknown },
  use: (path: string) => Promise<T>,
): Promise<T> {
  const allowPrivateNetwork = readAllowPrivateNetwork(options);
  const address = await addressOf(input, context);
  const local = localPath(address);
  if (local !== null) return use(local);
  const { fetchInput } = await import('../../../daemon/app/fetch-input.js');
  const path = join(context.folder, context.field);
  await fetchInput(address, path, { allowPrivateNetwork, ...context });
  return use(path);
}

function readAllowPrivateNetwork(options: unknown): boolean {
  if (options === undefined) return false;
  if (!isObject(options)) throw optionError('options', 'must be an object');
  return readBoolean(options.allowPrivateNetwork ?? options.allow_private_network, 'allowPrivateNetwork');
}

async function storeStream(input: unknown, { folder, signal, field }: InputContext): Promise<string> {
  const stream = chunksOf(input, field);
  const path = join(folder, `stream-${field}`);
  try {
    const bytes = await writeChunks(path, untilAborted(stream, signal), 'the input');
    if (bytes === 0) throw optionError(field, 'is a stream that ended without a byte', inputHint);
    return path;
  } catch (error) {
    signal.throwIfAborted();
    if (isVencError(error)) throw error;
    const text = error instanceof Error ? error.message : String(error);
    const message = `The stream of the ${field} failed: ${text}`;
    throw new VencError('DownloadFailureError', message, { field, cause: error });
  }
}

/** The chunks of a stream of Node.js or the Web. Throws `InvalidRequestError` for other values. */
function chunksOf(input: unknown, field: string): AsyncIterator<unknown> {
  if (input !== null && typeof input === 'object') {
    if ('locked' in input && input.locked === true)
      throw optionError(field, 'is a stream that has a reader already', 'pass a stream that nothing reads');
    if (Symbol.asyncIterator in input) return (input as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    if ('getReader' in input && typeof input.getReader === 'function') return webChunks(input.getReader());
  }
  throw optionError(field, 'is not an input', inputHint);
}

interface WebReader {
  read(): Promise<{ done: boolean; value?: unknown }>;
  cancel(reason?: unknown): Promise<void>;
}

async function* webChunks(reader: WebReader): AsyncGenerator<unknown, void> {
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** The chunks as bytes. At an abort the stream is left at once, even if it sends nothing. */
async function* untilAborted(
  chunks: AsyncIterator<unknown>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  let stop: (reason: unknown) => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = reject;
  });
  aborted.catch(() => undefined);
  const onAbort = () => stop(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    for (;;) {
      const next = await Promise.race([chunks.next(), aborted]);
      if (next.done === true) return;
      yield toBytes(next.value);
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a stream that sends nothing does not end either.
    void Promise.resolve(chunks.return?.()).catch(() => undefined);
  }
}

function toBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk === 'string') return Buffer.from(chunk);
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  throw new TypeError('its chunks must be bytes');
}
