import type { UploadedFile } from '../api-types/api-types.js';
import { fieldsOf, readNumber, readText } from '../shared/client/coerce.js';
import { abortableSleep, backoffDelayMs } from '../shared/util/timing.js';
import type { UploadOptions, UploadSource } from './declarations.js';
import { ConnectionError, invalidOption, NotFoundError, VencError } from './errors.js';
import { isTransient, type Transport } from './transport.js';

const defaultPartBytes = 8 * 1024 * 1024;
/** Maximum number of consecutive attempts without new bytes. A daemon that is restarted is back before the last one. */
const maxAttempts = 10;
const backoff = { firstMs: 500, maxMs: 5000 };
/** How long to wait before a daemon that is storing a file is asked again. */
const storingDelayMs = 500;
/** How long one part may take. */
const partTimeoutMs = 10 * 60_000;
/** How long the cancelling of an upload may take. */
const maxCancelMs = 2000;

/** The bytes of a file from an offset to another. */
type Read = (start: number, end: number) => Promise<Blob | Uint8Array<ArrayBuffer>>;

/** A random token: `crypto.randomUUID` is missing in pages without TLS. */
export function randomName(): string {
  return [...crypto.getRandomValues(new Uint8Array(24))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

/** Uploads a file. See `Uploads.put`. */
export async function putUpload(
  transport: Transport,
  name: string,
  source: UploadSource,
  { size: givenSize, part_size, on_progress, signal: given }: UploadOptions,
): Promise<UploadedFile> {
  const signal = given as AbortSignal | undefined;
  signal?.throwIfAborted();
  const { size, read } = openSource(source, givenSize);
  const path = `/v2/uploads/${encodeURIComponent(name)}`;
  const onProgress = (received: number) => on_progress?.({ received, size });
  const putWhole = async (): Promise<UploadedFile> => {
    const content = await read(0, size);
    const call = { method: 'PUT', content, signal, repeat: 'change', timeoutMs: partTimeoutMs } as const;
    const { url } = stateIn((await transport.call(path, call)).body);
    if (url === null) throw withoutUrl();
    onProgress(size);
    return { url };
  };
  if (!(await transport.isVenc(signal))) return putWhole();

  const upload = randomName();
  const partBytes = Math.max(1, Math.floor(part_size ?? defaultPartBytes));
  const ask = async () => {
    try {
      return stateIn((await transport.call(path, { query: { upload }, signal })).body);
    } catch (error) {
      // The daemon did not see the beginning.
      if (error instanceof NotFoundError && error.status === 404) return { url: null, received: 0 };
      throw error;
    }
  };
  const cancel = () =>
    transport
      .call(path, { method: 'DELETE', query: { upload }, repeat: 'never', timeoutMs: maxCancelMs })
      .catch(() => {});
  let received = 0;
  let isKnown = true;
  for (let failures = 0; ; ) {
    try {
      if (!isKnown) {
        const state = await ask();
        if (state.url !== null) return { url: state.url };
        if (state.received > received) failures = 0;
        received = Math.min(state.received, size);
        isKnown = true;
      }
      const end = Math.min(received + partBytes, size);
      const { url, received: next } = stateIn(
        (
          await transport.call(path, {
            ...{
              method: 'PUT',
              query: { upload, offset: received, size },
              content: await read(received, end),
            },
            ...{ signal, repeat: 'never', timeoutMs: partTimeoutMs },
          })
        ).body,
      );
      // A daemon of an earlier version takes the first part for the whole file.
      if (url !== null && end < size) return await putWhole();
      failures = 0;
      if (url !== null) {
        onProgress(size);
        return { url };
      }
      if (next < end) throw withoutUrl();
      received = Math.min(next, size);
      if (end === size && received === size) await abortableSleep(storingDelayMs, signal);
      else onProgress(received);
    } catch (error) {
      failures += 1;
      const isFirst =
        received === 0 && error instanceof VencError && error.status !== 409 && error.status !== null;
      const mayContinue = error instanceof VencError && (isTransient(error) || error.status === 409);
      if (signal?.aborted || !mayContinue || isFirst || failures >= maxAttempts) {
        // What was received would stay for a day.
        await cancel();
        throw signal?.aborted ? signal.reason : error;
      }
      const waitMs = Math.max(backoffDelayMs(failures, backoff), (error.retryAfterSeconds ?? 0) * 1000);
      await abortableSleep(waitMs, signal).catch(async (reason: unknown) => {
        await cancel();
        throw reason;
      });
      isKnown = false;
    }
  }
}

function stateIn(body: unknown): { readonly url: string | null; readonly received: number } {
  const { url, received } = fieldsOf(body);
  return { url: readText(url), received: readNumber(received) ?? 0 };
}

function withoutUrl(): ConnectionError {
  return new ConnectionError('The service accepted the file but did not return its URL.', {
    code: 'invalid_answer',
  });
}

function openSource(
  source: UploadSource,
  size: number | undefined,
): { readonly size: number; readonly read: Read } {
  const isObject = typeof source === 'object' && source !== null;
  if (isObject && 'slice' in source && 'size' in source)
    // What has these members of a Blob is one.
    return { size: source.size, read: async (start, end) => source.slice(start, end) as unknown as Blob };
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) {
    const bytes =
      source instanceof ArrayBuffer ? new Uint8Array(source) : (source as Uint8Array<ArrayBuffer>);
    return { size: bytes.length, read: async (start, end) => bytes.subarray(start, end) };
  }
  if (!isObject || !('getReader' in source || Symbol.asyncIterator in source))
    throw invalidOption(
      'source',
      'The file is neither a Blob, nor bytes, nor a stream.',
      "in Node.js: await fs.openAsBlob('film.mov')",
    );
  if (size === undefined || !Number.isSafeInteger(size) || size < 0)
    throw invalidOption('size', 'size must be the number of bytes of the stream.');
  return { size, read: readInOrder(chunksOf(source as AsyncIterable<Uint8Array>)) };
}

/** Reads a stream, and keeps the part that was read last: it may be sent again. */
function readInOrder(chunks: AsyncIterator<Uint8Array>): Read {
  let kept: Uint8Array<ArrayBuffer> = new Uint8Array();
  let keptFrom = 0;
  return async (start, end) => {
    if (start < keptFrom)
      throw new ConnectionError('The service lost bytes of the stream, which cannot be read again.', {
        code: 'unreachable',
      });
    const parts: Uint8Array[] = [kept.subarray(Math.min(start - keptFrom, kept.length))];
    let length = parts[0]?.length ?? 0;
    while (length < end - start) {
      const { done, value } = await chunks.next();
      if (done) throw invalidOption('size', 'The stream ended before size.');
      parts.push(value);
      length += value.length;
    }
    kept = new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
    keptFrom = start;
    return kept.subarray(0, end - start);
  };
}

async function* chunksOf(
  source: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  // Not every browser iterates over a stream.
  if (!('getReader' in source)) return yield* source;
  const reader = source.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
}
