import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { VencError } from '../../src/shared/errors.js';
import { systemCode } from '../../src/shared/util/system-code.js';

/** What gzip adds at most to a body that cannot be made smaller, a file name in its head included. */
const gzipOverheadBytes = 64 * 1024;
const gunzipAsync = promisify(gunzip);

/**
 * The bytes of a request's body, unpacked where they came as gzip: at most so many. Rejects with
 * `PayloadTooLargeError` (413), `UnsupportedMediaTypeError` (415) or `UnparsableBodyError` (400). What follows a body that is too
 * large is left to flow away, so that the client gets to read the refusal.
 */
export async function readBodyBytes(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = (incoming.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return readLimited(incoming, maxBytes, maxBytes);
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw new VencError(
      'UnsupportedMediaTypeError',
      `The Content-Encoding ${encoding.slice(0, 64)} is not understood: send gzip or none.`,
    );
  }
  return decompress(await readLimited(incoming, maxBytes + gzipOverheadBytes, maxBytes), maxBytes);
}

/** Listens instead of looping over the stream: a loop that is left early ends the connection, and the refusal would not come through. */
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
        reject(new VencError('UnparsableBodyError', 'The body could not be read to its end.', { cause })),
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
    throw new VencError('UnparsableBodyError', 'The body is not whole gzip, as its Content-Encoding says.', {
      cause: error,
    });
  }
}

function tooLarge(maxBytes: number): VencError {
  return new VencError('PayloadTooLargeError', `The body is larger than ${maxBytes} bytes.`);
}
