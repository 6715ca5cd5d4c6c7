import { type Agent, type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import { Readable } from 'node:stream';
import { systemCode } from '../../../src/shared/util/system-code.js';
import { asError } from '../../net/open-socket.js';

/** One request. */
export interface GuardedRequest {
  readonly method: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Percent-encoded, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is destroyed when the request is over. */
  readonly body?: string | Readable | null;
  readonly signal?: AbortSignal;
}

/** The head of an answer, header names in lower case, and its body. */
export interface GuardedResponse {
  readonly statusCode: number;
  readonly headers: IncomingMessage['headers'];
  /** To be read to its end or destroyed: its connection is taken up until then. Its errors may be left unheard. */
  readonly body: Readable;
}

/** Makes one request over a connection of the pool. */
export function sendRequest(request: GuardedRequest, pool: Agent): Promise<GuardedResponse> {
  const { method, path, headers, body = null, signal } = request;
  const { protocol, hostname, port } = new URL(request.origin);
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    // Addresses of IPv6 stand in brackets in URLs alone.
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const clientRequest = openRequest({ protocol, host, port, method, path, headers, agent: pool });
    const pending: PendingRequest = { request, clientRequest, response: null };
    const onAbort = (): void => {
      reject(signal?.reason);
      // Not the request once there is an answer: Node would drop what of the body has come, and end it as if it were whole.
      if (pending.response === null) clientRequest.destroy();
      else pending.response.destroy(asError(signal?.reason));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    clientRequest.once('close', () => signal?.removeEventListener('abort', onAbort));
    clientRequest.on('response', (response) => {
      pending.response = response;
      watchResponse(pending, response);
      resolve({ statusCode: response.statusCode ?? 0, headers: response.headers, body: response });
    });
    clientRequest.on('error', (error) => {
      const { response } = pending;
      if (response !== null) {
        // A reset must not pass for the end of a body without a length. A body that has come whole stays whole.
        if (!response.complete) response.destroy(error);
      } else if (isRetryable(pending, error)) sendRequest(request, pool).then(resolve, reject);
      else reject(error);
    });
    if (body instanceof Readable) sendBody(body, clientRequest);
    else clientRequest.end(body);
  });
}

/** A request on its way. */
interface PendingRequest {
  readonly request: GuardedRequest;
  readonly clientRequest: ClientRequest;
  response: IncomingMessage | null;
}

function watchResponse({ clientRequest }: PendingRequest, response: IncomingMessage): void {
  response.on('error', () => undefined);
  // A server that answers before it has the whole request does not want the rest.
  response.once('end', () => {
    if (!clientRequest.writableEnded) clientRequest.destroy();
  });
}

/** A server may close a connection that was kept at the moment in which it is used again: such a request it has not read. */
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
