import { setMaxListeners } from 'node:events';
import {
  type ClientRequest,
  type ClientRequestArgs,
  type IncomingMessage,
  request as openRequest,
  Agent as SocketPool,
} from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { moveToScope } from '../../../src/shared/util/error-scope.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import { asError, openSocket, type ReaderBuffers } from '../../net/open-socket.js';
import type { SocketBuffers } from '../../net/socket-buffers.js';
import type { SsrfGuard } from '../../net/ssrf-guard.js';
import { RawBody, rawBodyBytes } from './raw-body.js';

/** A request. */
export interface GuardedRequest {
  readonly method: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Percent-encoded, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is destroyed when the request has ended. */
  readonly body?: string | Readable | null;
  readonly signal?: AbortSignal;
  /** Buffers for a large body to be read into, past the parser. The caller releases them. */
  readonly buffers?: SocketBuffers;
}

/** The status, the headers (names in lower case) and the body of a response. */
export interface GuardedResponse {
  readonly statusCode: number;
  readonly headers: IncomingMessage['headers'];
  /** Must be read to its end or destroyed, since it occupies its connection until then. Needs no error listener. */
  readonly body: Readable;
}

/** Makes requests over connections that it keeps open and reuses. */
export interface GuardedAgent {
  /**
   * Makes one request and resolves when the headers of the response have arrived, whatever the status. Does not follow
   * redirects. Rejects with the error of the connection or of the guard, and with the reason of the signal, which also
   * ends the body.
   */
  request(request: GuardedRequest): Promise<GuardedResponse>;
  /** Closes all connections, including those in use. */
  destroy(): void;
}

/** How long an idle connection is kept, in milliseconds. */
const idleTimeoutMs = 4_000;

/**
 * Creates an agent whose every connection passes the guard, which Node's own agent would not consult. Requests have no
 * time limit here, since transfers detect stalls themselves.
 */
export function createGuardedAgent(guard: SsrfGuard, connectTimeoutMs: number): GuardedAgent {
  const destroyed = new AbortController();
  // Each connection that is being opened listens to it, and Node warns from the eleventh on.
  setMaxListeners(0, destroyed.signal);
  const connections = { guard, connectTimeoutMs, signal: destroyed.signal };
  const pools = {
    'http:': new GuardedPool(connections, false),
    'https:': new GuardedPool(connections, true),
  };
  return {
    async request(request) {
      destroyed.signal.throwIfAborted();
      const { protocol } = new URL(request.origin);
      return sendRequest(request, pools[protocol === 'https:' ? 'https:' : 'http:']);
    },
    destroy() {
      destroyed.abort(new Error('the agent was destroyed'));
      for (const pool of Object.values(pools)) pool.destroy();
    },
  };
}

interface Connections {
  readonly guard: SsrfGuard;
  readonly connectTimeoutMs: number;
  /** Aborts the connections that are still being opened. */
  readonly signal: AbortSignal;
}

/** Node's connection pool, with connections opened through the guard. */
class GuardedPool extends SocketPool {
  readonly #connections: Connections;
  readonly #isTls: boolean;
  readonly #readers = new WeakMap<Socket, ReaderBuffers>();
  // Node reads both, to choose the port and to reject requests of the other scheme.
  readonly protocol: string;
  readonly defaultPort: number;

  constructor(connections: Connections, isTls: boolean) {
    super({ keepAlive: true, timeout: idleTimeoutMs });
    this.#connections = connections;
    this.#isTls = isTls;
    this.protocol = isTls ? 'https:' : 'http:';
    this.defaultPort = isTls ? 443 : 80;
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    callback: (error: Error | null, socket: Socket) => void = () => undefined,
  ): undefined {
    const { guard, connectTimeoutMs, signal } = this.#connections;
    const reader: ReaderBuffers = { buffers: null };
    const target = { host: host ?? '', port: Number(port), isTls: this.#isTls, readerCopies: reader };
    openSocket(guard, target, connectTimeoutMs, signal).then(
      (socket) => {
        this.#readers.set(socket, reader);
        callback(null, socket);
      },
      // Node reads the socket only if there is no error.
      (error: unknown) => Reflect.apply(callback, null, [asError(error)]),
    );
  }

  /** From now on the connection reads into these buffers, which its reader keeps until it releases them. */
  readInto(socket: Socket, buffers: SocketBuffers): void {
    const reader = this.#readers.get(socket);
    if (reader !== undefined) reader.buffers = buffers;
  }

  override reuseSocket(socket: Socket, request: ClientRequest): void {
    // Another job may have opened it.
    moveToScope(socket);
    super.reuseSocket(socket, request);
  }
}

/** Makes one request over a connection of the pool. */
function sendRequest(request: GuardedRequest, pool: GuardedPool): Promise<GuardedResponse> {
  const { method, path, headers, body = null, signal } = request;
  const { protocol, hostname, port } = new URL(request.origin);
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    // IPv6 addresses are in brackets only in URLs.
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const clientRequest = openRequest({ protocol, host, port, method, path, headers, agent: pool });
    const pending: PendingRequest = { request, clientRequest, response: null };
    const onAbort = (): void => {
      reject(signal?.reason);
      // Once there is a response, destroying the request would make Node drop the buffered body and end it as if it
      // were complete.
      if (pending.response === null) clientRequest.destroy();
      else pending.response.destroy(asError(signal?.reason));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    clientRequest.once('close', () => signal?.removeEventListener('abort', onAbort));
    clientRequest.on('response', (response) => {
      pending.response = response;
      watchResponse(pending, response);
      resolve({
        statusCode: response.statusCode ?? 0,
        headers: response.headers,
        body: bodyOf(response, request, pool),
      });
    });
    clientRequest.on('error', (error) => {
      const { response } = pending;
      if (response !== null) {
        // A reset must not look like the end of a body without a length. A complete body stays complete.
        if (!response.complete) response.destroy(error);
      } else if (isRetryable(pending, error)) sendRequest(request, pool).then(resolve, reject);
      else reject(error);
    });
    if (body instanceof Readable) sendBody(body, clientRequest);
    else clientRequest.end(body);
  });
}

function bodyOf(response: IncomingMessage, { buffers }: GuardedRequest, pool: GuardedPool): Readable {
  const bytes = buffers === undefined ? null : rawBodyBytes(response);
  if (buffers === undefined || bytes === null) return response;
  pool.readInto(response.socket, buffers);
  const body = new RawBody(response, bytes);
  body.on('error', () => undefined);
  return body;
}

/** A request in progress. */
interface PendingRequest {
  readonly request: GuardedRequest;
  readonly clientRequest: ClientRequest;
  response: IncomingMessage | null;
}

function watchResponse({ clientRequest }: PendingRequest, response: IncomingMessage): void {
  response.on('error', () => undefined);
  // A server that responds before it has read the whole request does not want the rest.
  response.once('end', () => {
    if (!clientRequest.writableEnded) clientRequest.destroy();
  });
}

/**
 * A server may close a kept connection just as it is reused. It has not read such a request, so the request can be
 * repeated.
 */
function isRetryable({ request, clientRequest }: PendingRequest, error: unknown): boolean {
  const isSafe = request.method === 'GET' || request.method === 'HEAD';
  const isClosed = ['ECONNRESET', 'EPIPE'].includes(systemCode(error) ?? '');
  return clientRequest.reusedSocket && isClosed && isSafe && request.signal?.aborted !== true;
}

function sendBody(body: Readable, clientRequest: ClientRequest): void {
  body.on('error', (error) => clientRequest.destroy(error));
  clientRequest.once('close', () => body.destroy());
  body.pipe(clientRequest);
}
