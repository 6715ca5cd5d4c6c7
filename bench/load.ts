import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The parameters of one slice of load. */
export interface LoadRequest {
  readonly port: number;
  /** Number of connections, each kept alive and with one request in progress at any time. */
  readonly connections: number;
  /** Complete HTTP requests as text. Every connection starts at a different one and sends them in turn. */
  readonly requests: readonly string[];
  /** Length of the response to each request in bytes; null if it varies. */
  readonly lengths: readonly number[] | null;
  readonly status: number;
  /** The slice ends at whichever limit is reached first; requests in progress are completed. */
  readonly atMost: { readonly milliseconds: number; readonly requests: number };
  /** Pause of a connection between a response and its next request, in milliseconds; none by default. */
  readonly pauseMs?: number;
}

/** The result of one slice. */
export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Utilisation of the generator itself, from 0 to 1: near 1 the generator is the bottleneck. */
  readonly busyRatio: number;
  /** The time of each request in milliseconds, in ascending order. */
  readonly samplesMs: readonly number[];
}

/*
 * A separate program, controlled by messages of its parent. It is minimal because it shares the machine with the
 * server that it measures: with two cores the server has one, and the generator must need less than the other. An
 * HTTP client takes about three times as long per request as reading the few relevant bytes of a header.
 */

const headEnd = Buffer.from('\r\n\r\n');
const bufferBytes = 128 * 1024;

/** One connection: sends a request and reads its response to the end. */
class Connection {
  readonly #load: LoadRequest;
  readonly #socket: Socket;
  #turn: number;
  #missingBytes = 0;
  #settle: { readonly resolve: () => void; readonly reject: (error: Error) => void } | null = null;

  constructor(loadRequest: LoadRequest, turn: number) {
    this.#load = loadRequest;
    this.#turn = turn;
    const read = (count: number, buffer: Uint8Array): boolean => {
      this.#dispatch(Buffer.from(buffer.buffer, buffer.byteOffset, count));
      return true;
    };
    this.#socket = connect({
      port: loadRequest.port,
      host: '127.0.0.1',
      noDelay: true,
      // One buffer for all reads, instead of a new one for every response.
      onread: { buffer: Buffer.alloc(bufferBytes), callback: read },
    });
    this.#socket.on('error', (error) => this.#settle?.reject(error));
    this.#socket.on('close', () => this.#settle?.reject(new Error('the server closed a connection')));
  }

  async open(): Promise<void> {
    await once(this.#socket, 'connect');
  }

  /** Sends one request and waits for its response, which must match the load. */
  send(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(this.#load.requests[this.#turn % this.#load.requests.length] ?? '', 'latin1');
    });
  }

  close(): void {
    this.#settle = null;
    this.#socket.destroy();
  }

  #dispatch(chunk: Buffer): void {
    if (this.#missingBytes > 0) this.#missingBytes -= chunk.length;
    else this.#missingBytes = this.#bytesAfter(chunk);
    if (this.#missingBytes > 0) return;
    const settle = this.#settle;
    this.#settle = null;
    this.#turn += 1;
    if (this.#missingBytes < 0) settle?.reject(new Error('a response is longer than its Content-Length'));
    else settle?.resolve();
  }

  /** The number of bytes of a response after its first chunk, which contains the whole header. */
  #bytesAfter(chunk: Buffer): number {
    const end = chunk.indexOf(headEnd);
    const head = chunk.toString('latin1', 0, end === -1 ? chunk.length : end);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? Number.NaN);
    const { status, lengths } = this.#load;
    const expected = lengths?.[this.#turn % lengths.length] ?? length;
    if (end === -1 || Number(head.slice(9, 12)) !== status || length !== expected) {
      this.#settle?.reject(new Error(`not a response ${status} of ${expected} bytes: ${head}`));
      this.#settle = null;
    }
    return end + headEnd.length + length - chunk.length;
  }
}

/** Runs one slice. Rejects on the first unexpected response. */
async function runLoad(loadRequest: LoadRequest): Promise<LoadResult> {
  const { connections, atMost, requests, pauseMs } = loadRequest;
  const stride = Math.max(1, Math.floor(requests.length / connections));
  const openConnections = Array.from(
    { length: connections },
    (_, index) => new Connection(loadRequest, index * stride),
  );
  try {
    await Promise.all(openConnections.map((connection) => connection.open()));
    const milliseconds: number[] = [];
    let startedAt = 0;
    const usage = performance.eventLoopUtilization();
    const start = performance.now();
    const sendRequests = async (connection: Connection): Promise<void> => {
      let before = performance.now();
      while (startedAt < atMost.requests && before - start < atMost.milliseconds) {
        startedAt += 1;
        await connection.send();
        const now = performance.now();
        milliseconds.push(now - before);
        if (pauseMs !== undefined) await sleep(pauseMs);
        before = pauseMs === undefined ? now : performance.now();
      }
    };
    await Promise.all(openConnections.map(sendRequests));
    const seconds = (performance.now() - start) / 1000;
    const busyRatio = performance.eventLoopUtilization(usage).utilization;
    milliseconds.sort((a, b) => a - b);
    const quantile = (share: number): number =>
      milliseconds[Math.min(milliseconds.length - 1, Math.floor(milliseconds.length * share))] ?? Number.NaN;
    const count = milliseconds.length;
    return {
      requests: count,
      perSecond: count / seconds,
      p50Ms: quantile(0.5),
      p99Ms: quantile(0.99),
      busyRatio,
      samplesMs: milliseconds,
    };
  } finally {
    for (const connection of openConnections) connection.close();
  }
}

process.on('message', (loadRequest: LoadRequest) => {
  runLoad(loadRequest).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
