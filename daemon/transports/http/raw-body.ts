import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';

/** From this size on, a body is read past the parser: its connection cannot be used again. */
const minRawBytes = 8 << 20;
/** Received bytes that wait for the reader. */
const maxWaitingBytes = 1 << 20;

/** The length of a body that can be read past the parser; null if it is short or the parser must decode it. */
export function rawBodyBytes({ headers, statusCode }: IncomingMessage): number | null {
  const bytes = Number(headers['content-length']);
  const isPlain = headers['transfer-encoding'] === undefined && (statusCode === 200 || statusCode === 206);
  return isPlain && Number.isSafeInteger(bytes) && bytes >= minRawBytes ? bytes : null;
}

/**
 * The body of a response, read from its socket past Node's parser, which copies every byte into new memory. Create it
 * when the headers have arrived. Its connection is closed after the last byte.
 */
export class RawBody extends Readable {
  readonly #response: IncomingMessage;
  readonly #socket: Socket;
  #remainingBytes: number;

  constructor(response: IncomingMessage, bytes: number) {
    super({ highWaterMark: maxWaitingBytes });
    this.#response = response;
    this.#socket = response.socket;
    this.#remainingBytes = bytes;
    const onData = (chunk: Buffer): void => this.#receive(chunk);
    // The parser passes on the rest of what it is parsing, and gets nothing more.
    for (const parse of this.#socket.listeners('data'))
      this.#socket.removeListener('data', parse as (chunk: Buffer) => void);
    this.#socket.on('data', onData);
    response.on('data', onData);
    response.on('error', (error) => this.#break(error));
    response.once('close', () => this.#break(new Error('closed early')));
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#response.destroy();
    callback(error);
  }

  #receive(chunk: Buffer): void {
    if (this.#remainingBytes === 0 || this.destroyed) return;
    const bytes = chunk.subarray(0, this.#remainingBytes);
    this.#remainingBytes -= bytes.byteLength;
    if (!this.push(bytes)) this.#socket.pause();
    if (this.#remainingBytes > 0) return;
    this.push(null);
    this.#response.destroy();
  }

  #break(error: Error): void {
    if (this.#remainingBytes > 0) this.destroy(error);
  }
}
