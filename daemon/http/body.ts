import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { VencError } from '../../src/api/errors.js';

/** Greatest size of a request body in bytes, after unpacking. */
export const maxBodyBytes = 1024 * 1024;
/** Milliseconds that a request body may take to arrive. */
const bodyTimeoutMs = 60_000;

/**
 * Reads a request body as JSON; undefined where it is empty. A body that parses as JSON is taken whatever its label.
 * Rejects with `PayloadTooLargeError` (413), `UnsupportedMediaTypeError` (415) or `UnparsableBodyError` (400).
 */
export async function readJsonBody(incoming: IncomingMessage): Promise<unknown> {
  const bytes = await readBytes(unpacked(incoming), incoming);
  const text = decoded(bytes);
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    const type = (incoming.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
    if (type === '' || type.includes('json')) {
      throw new VencError('UnparsableBodyError', `The body is not valid JSON: ${reason(error)}.`, {
        cause: error,
      });
    }
    throw new VencError(
      'UnsupportedMediaTypeError',
      `A body of the type ${type} is not understood: send JSON.`,
      {
        cause: error,
      },
    );
  }
}

function unpacked(incoming: IncomingMessage): Readable {
  const encoding = (incoming.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return incoming;
  if (encoding !== 'gzip') {
    throw new VencError(
      'UnsupportedMediaTypeError',
      `The Content-Encoding ${encoding} is not understood: send gzip or none.`,
    );
  }
  return incoming.pipe(createGunzip());
}

async function readBytes(body: Readable, incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => incoming.destroy(), bodyTimeoutMs);
  try {
    for await (const chunk of body) {
      size += (chunk as Buffer).length;
      if (size > maxBodyBytes)
        throw new VencError('PayloadTooLargeError', `The body is larger than ${maxBodyBytes} bytes.`);
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    if (error instanceof VencError) throw error;
    throw new VencError('UnparsableBodyError', 'The body could not be read to its end.', { cause: error });
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new VencError('UnparsableBodyError', 'The body is not UTF-8 text.', { cause: error });
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '').slice(0, 200) : 'it cannot be parsed';
}
