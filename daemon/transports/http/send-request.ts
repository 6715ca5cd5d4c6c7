import { type Agent, type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import { Readable } from 'node:stream';
import { systemCode } from '../../../src/shared/util/system-code.js';
import { asError } from '../../net/open-socket.js';

/** One request. */
export interface HttpRequest {
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
export interface HttpAnswer {
  readonly statusCode: number;
  readonly headers: IncomingMessage['headers'];
  /** To be read to its end or destroyed: its connection is taken up until then. Its errors may be left unheard. */
  readonly body: Readable;
}

/** Makes one request over a connection of the pool. */
export function sendRequest(request: HttpRequest, pool: Agent): Promise<HttpAnswer> {
  const { method, path, headers, body = null, signal } = request;
  const { protocol, hostname, port } = new URL(request.origin);
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    // Addresses of IPv6 stand in brackets in URLs alone.
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const outgoing = openRequest({ protocol, host, port, method, path, headers, agent: pool });
    const exchange: Exchange = { request, outgoing, answer: null };
    const onAbort = (): void => {
      reject(signal?.reason);
      // Not the request once there is an answer: Node would drop what of the body has come, and end it as if it were whole.
      if (exchange.answer === null) outgoing.destroy();
      else exchange.answer.destroy(asError(signal?.reason));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    outgoing.once('close', () => signal?.removeEventListener('abort', onAbort));
    outgoing.on('response', (answer) => {
      exchange.answer = answer;
      listen(exchange, answer);
      resolve({ statusCode: answer.statusCode ?? 0, headers: answer.headers, body: answer });
    });
    outgoing.on('error', (error) => {
      const { answer } = exchange;
      if (answer !== null) {
        // A reset must not pass for the end of a body without a length. A body that has come whole stays whole.
        if (!answer.complete) answer.destroy(error);
      } else if (mayBeRepeated(exchange, error)) sendRequest(request, pool).then(resolve, reject);
      else reject(error);
    });
    if (body instanceof Readable) sendBody(body, outgoing);
    else outgoing.end(body);
  });
}

/** A request on its way. */
interface Exchange {
  readonly request: HttpRequest;
  readonly outgoing: ClientRequest;
  answer: IncomingMessage | null;
}

function listen({ outgoing }: Exchange, answer: IncomingMessage): void {
  answer.on('error', () => undefined);
  // A server that answers before it has the whole request does not want the rest.
  answer.once('end', () => {
    if (!outgoing.writableEnded) outgoing.destroy();
  });
}

/** A server may close a connection that was kept at the moment in which it is used again: such a request it has not read. */
function mayBeRepeated({ request, outgoing }: Exchange, error: unknown): boolean {
  const isSafe = request.method === 'GET' || request.method === 'HEAD';
  const isClosed = ['ECONNRESET', 'EPIPE'].includes(systemCode(error) ?? '');
  return outgoing.reusedSocket && isClosed && isSafe && request.signal?.aborted !== true;
}

function sendBody(body: Readable, outgoing: ClientRequest): void {
  body.on('error', (error) => outgoing.destroy(error));
  outgoing.once('close', () => body.destroy());
  body.pipe(outgoing);
}
