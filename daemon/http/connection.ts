import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { endWithStatus } from './parser-errors.js';

/** The limits of a connection. */
export interface ConnectionLimits {
  /** Time for a request to arrive with its body, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Whether the body of a request may take longer. */
  readonly hasNoTimeout: (incoming: IncomingMessage) => boolean;
}

/** A request and the function that answers it. */
interface PendingRequest {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly answer: () => void;
}

/**
 * Bytes that the HTTP parser gets at a time outside of bodies: at most 40 requests. By default it takes 64
 * KiB, up to 2,500 requests, each of which uses memory before the first is answered.
 */
const headSliceBytes = 1024;
/** Bytes that the parser gets at a time within a body of unknown length. */
const bodySliceBytes = 16 * 1024;

/**
 * Bounds the memory that one client can make the daemon use, however much it sends and however little it
 * reads. The requests of a connection are answered one at a time: the next one begins when the previous
 * answer was handed to the operating system. While requests wait, nothing more is parsed or read. A request
 * that is not complete in time ends the connection.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #limits: ConnectionLimits;
  /**
   * Node's own listener, which passes bytes to the parser; null once the socket no longer belongs to the
   * parser.
   */
  #parse: ((chunk: Buffer) => void) | null;
  /** Bytes that were read but not parsed yet. */
  #buffered: Buffer | null = null;
  /** Whether this class, and not Node, has paused the socket: only then may it resume it. */
  #hasPaused = false;
  /** Requests that wait for the active one. */
  readonly #waiting: PendingRequest[] = [];
  /** The request that is being answered. */
  #active: PendingRequest | null = null;
  /** The request that was parsed last. Its body may still be arriving. */
  #latest: IncomingMessage | null = null;
  /** Bytes of its body that are known to be missing. */
  #bodyBytesLeft = 0;
  /** When the first byte of the current request head arrived; null if none has. */
  #headSince: number | null = null;
  #deadline: NodeJS.Timeout | null = null;

  constructor(socket: Socket, limits: ConnectionLimits) {
    this.#socket = socket;
    this.#limits = limits;
    const [parse] = socket.listeners('data') as ((chunk: Buffer) => void)[];
    this.#parse = parse ?? null;
    if (parse === undefined) return;
    // Node's listener gets its bytes from here. This also makes Node read the socket as a stream instead of
    // bypassing it.
    socket.removeListener('data', parse);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('resume', () => this.#feed());
    socket.on('close', () => this.release());
  }

  /** Answers a request once those before it are answered. */
  handle(request: PendingRequest): void {
    const { incoming } = request;
    this.#latest = incoming;
    const length = incoming.headers['content-length'];
    this.#bodyBytesLeft = Number(length ?? 0);
    const hasBody = this.#bodyBytesLeft > 0 || incoming.headers['transfer-encoding'] !== undefined;
    const startedAt = this.#headSince ?? performance.now();
    this.#headSince = null;
    if (hasBody && !this.#limits.hasNoTimeout(incoming)) this.#setDeadline(performance.now() - startedAt);
    if (this.#active === null) this.#begin(request);
    else this.#waiting.push(request);
  }

  /** Whether nothing more of the connection is parsed or answered. */
  get isReleased(): boolean {
    return this.#parse === null;
  }

  /** Drops what has not begun: the connection is closed, or no longer speaks HTTP. */
  release(): void {
    this.#parse = null;
    this.#buffered = null;
    this.#waiting.length = 0;
    this.#clearDeadline();
  }

  #begin(request: PendingRequest): void {
    this.#active = request;
    request.outgoing.once('close', () => this.#end(request));
    request.answer();
  }

  #end({ incoming }: PendingRequest): void {
    // A body that is no longer read gets a deadline, even that of an upload.
    if (!incoming.complete && this.#deadline === null && this.#parse !== null) this.#setDeadline(0);
    // Yields to other connections: thousands of short answers would otherwise follow each other without a
    // pause.
    if (this.#waiting.length > 0 || this.#hasPaused) setImmediate(() => this.#next());
    else this.#active = null;
  }

  #next(): void {
    this.#active = null;
    if (this.#parse === null) return;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#begin(next);
    if (this.#hasPaused && this.#waiting.length === 0) {
      this.#hasPaused = false;
      this.#socket.resume();
    }
  }

  #receive(chunk: Buffer): void {
    if (this.#parse === null) return;
    this.#buffered = this.#buffered === null ? chunk : Buffer.concat([this.#buffered, chunk]);
    this.#feed();
  }

  #feed(): void {
    while (this.#buffered !== null && this.#parse !== null) {
      // The last request of the connection was answered, or could not be parsed.
      if (this.#socket.writableEnded) {
        this.release();
        return;
      }
      if (this.#waiting.length > 0 || this.#socket.isPaused()) {
        this.#pause();
        return;
      }
      const size = this.#sliceBytes();
      const slice = this.#buffered.length > size ? this.#buffered.subarray(0, size) : this.#buffered;
      this.#buffered = slice === this.#buffered ? null : this.#buffered.subarray(size);
      this.#parseSlice(this.#parse, slice);
    }
  }

  #pause(): void {
    if (this.#socket.isPaused()) return;
    this.#hasPaused = true;
    this.#socket.pause();
  }

  #parseSlice(parse: (chunk: Buffer) => void, slice: Buffer): void {
    if (this.#latest?.complete !== false) this.#headSince ??= performance.now();
    parse.call(this.#socket, slice);
    this.#bodyBytesLeft -= slice.length;
    if (this.#latest?.complete === true) this.#clearDeadline();
  }

  #sliceBytes(): number {
    if (this.#latest === null || this.#latest.complete) return headSliceBytes;
    if (this.#latest.headers['transfer-encoding'] !== undefined) return bodySliceBytes;
    return Math.max(headSliceBytes, this.#bodyBytesLeft);
  }

  #setDeadline(elapsedMs: number): void {
    this.#clearDeadline();
    this.#deadline = setTimeout(() => this.#onTimeout(), this.#limits.requestTimeoutMs - elapsedMs);
  }

  #clearDeadline(): void {
    if (this.#deadline !== null) clearTimeout(this.#deadline);
    this.#deadline = null;
  }

  #onTimeout(): void {
    const active = this.#active;
    const isUnanswered = active !== null && active.incoming === this.#latest && !active.outgoing.headersSent;
    if (isUnanswered) endWithStatus(this.#socket, 408);
    this.release();
    if (isUnanswered) this.#socket.destroySoon();
    else this.#socket.destroy();
  }
}
