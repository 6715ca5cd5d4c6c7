import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { VencError } from '../../src/shared/errors.js';
import { systemCode } from '../../src/shared/util/system-code.js';

/** What gzip adds at most to a body that cannot be made smaller, a file name in its head included. */
const packingBytes = 64 * 1024;
const unpack = promisify(gunzip);

/**
 * The bytes of a request's body, unpacked where they came as gzip: at most so many. Rejects with
 * `PayloadTooLargeError` (413), `UnsupportedMediaTypeError` (415) or `UnparsableBodyError` (400). What follows a body that is too
 * large is left to flow away, so that the client gets to read the refusal.
 */
export async function readBodyBytes(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = (incoming.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return arrived(incoming, maxBytes, maxBytes);
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw new VencError(
      'UnsupportedMediaTypeError',
      `The Content-Encoding ${encoding.slice(0, 64)} is not understood: send gzip or none.`,
    );
  }
  return unpacked(await arrived(incoming, maxBytes + packingBytes, maxBytes), maxBytes);
}

/** Listens instead of looping over the stream: a loop that is left early ends the connection, and the refusal would not come through. */
function arrived(incoming: IncomingMessage, maxArrived: number, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const takeChunk = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxArrived) settle(() => reject(tooLarge(maxBytes)));
    };
    const finish = (): void => settle(() => resolve(Buffer.concat(chunks, size)));
    const fail = (cause?: unknown): void =>
      settle(() =>
        reject(new VencError('UnparsableBodyError', 'The body could not be read to its end.', { cause })),
      );
    const settle = (answer: () => void): void => {
      incoming.off('data', takeChunk).off('end', finish).off('error', fail).off('close', fail);
      answer();
    };
    if (incoming.destroyed && !incoming.readableEnded) return fail(incoming.errored);
    incoming.on('data', takeChunk).on('end', finish).on('error', fail).on('close', fail);
  });
}

async function unpacked(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await unpack(bytes, { maxOutputLength: maxBytes });
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
