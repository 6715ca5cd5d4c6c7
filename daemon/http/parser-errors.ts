import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { jsonType, toJson } from './representations/json.js';

/** Statuses of what the HTTP parser refuses; 400 for all the rest. */
const parserStatus: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Gives requests that never come to the app a body as well, where Node would answer with none: no error is ever empty. */
export function handleInvalidRequests(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else endWithStatus(socket, parserStatus[error.code ?? ''] ?? 400);
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    // The client may have gone meanwhile, which is its own affair.
    socket.on('error', () => socket.destroy());
    endWithStatus(socket, 405);
  });
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(417, { ...headers, Connection: 'close' }).end(errorBody(417));
  });
}

/** The answer to a request whose address or `Host` is none. */
export function invalidAddressResponse(): Response {
  return new Response(errorBody(400), { status: 400, headers });
}

/** Requests of HTTP/1.0 need not name a host, as health checks of proxies don't: they mean the address that they came to. */
export function setDefaultHost({ headers: requestHeaders, httpVersion, socket }: IncomingMessage): void {
  if (requestHeaders.host !== undefined || httpVersion !== '1.0') return;
  const address = socket.localAddress ?? '127.0.0.1';
  requestHeaders.host = `${isIPv6(address) ? `[${address}]` : address}:${socket.localPort}`;
}

/**
 * What is wrong with a head that Node's parser accepts, in words; null where nothing is. Two hosts, and `Transfer-Encoding` in HTTP/1.0, let a
 * proxy and this server read one message as two different ones (RFC 9112, sections 3.2 and 6.1).
 */
export function findHeadError({
  headers: requestHeaders,
  httpVersion,
  rawHeaders,
}: IncomingMessage): string | null {
  if (httpVersion === '1.0' && requestHeaders['transfer-encoding'] !== undefined) {
    return 'Transfer-Encoding must not be used in HTTP/1.0';
  }
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && /^host$/i.test(text));
  return hosts.length > 1 ? 'it must have one Host header, not several' : null;
}

/** Answers 400 with a reason, and ends the connection: where one message ends and the next begins is not sure. */
export function rejectHead(outgoing: ServerResponse, headError: string): void {
  const body = toJson({ errors: [`The request is not valid HTTP: ${headError}.`] });
  outgoing.writeHead(400, { ...headers, Connection: 'close', 'Content-Length': Buffer.byteLength(body) });
  outgoing.end(body);
}

const headers = { 'Access-Control-Allow-Origin': '*', 'Content-Type': jsonType };

function errorBody(status: number): string {
  return toJson({ errors: [`The request is not valid HTTP: ${STATUS_CODES[status] ?? 'Bad Request'}.`] });
}

/** Ends a connection with an answer that has a status and no more to say. */
export function endWithStatus(socket: Duplex, status: number): void {
  const body = errorBody(status);
  const lines = Object.entries({
    Connection: 'close',
    ...headers,
    'Content-Length': Buffer.byteLength(body),
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body].join('\r\n'));
}
