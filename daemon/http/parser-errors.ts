import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { jsonType, toJson } from './representations/represent.js';

/** The statuses of parser errors; all others are 400. */
const parserStatus: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Answers requests that never reach the app with a body, where Node would send an empty one: no error is ever
 * empty. `isReleased` says whether a connection had its last answer.
 */
export function handleInvalidRequests(server: Server, isReleased: (socket: Socket) => boolean): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (isReleased(socket)) return;
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy();
    else endWithStatus(socket, parserStatus[error.code ?? ''] ?? 400);
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    // The client may have disconnected meanwhile, which needs no handling.
    socket.on('error', () => socket.destroy());
    endWithStatus(socket, 405);
  });
}

/** The answer to a request with an invalid address or `Host`. */
export function invalidAddressResponse(): Response {
  return new Response(errorBody(400), { status: 400, headers });
}

/**
 * Sets `Host` if an HTTP/1.0 request has none, as health checks of proxies do: it is the address that the
 * request came to.
 */
export function setDefaultHost({ headers: requestHeaders, httpVersion, socket }: IncomingMessage): void {
  if (requestHeaders.host !== undefined || httpVersion !== '1.0') return;
  const address = socket.localAddress ?? '127.0.0.1';
  requestHeaders.host = `${isIPv6(address) ? `[${address}]` : address}:${socket.localPort}`;
}

/**
 * Finds errors in a request head that Node's parser accepts; null if there are none. Because of two `Host`
 * headers, of `Transfer-Encoding` in HTTP/1.0, or of codings such as `identity, chunked`, a proxy and this
 * server could read one message as two different ones (RFC 9112, sections 3.2 and 6.1). The parser also
 * accepts HTTP/2.0 in the form of HTTP/1.1.
 */
export function findHeadError({
  headers: requestHeaders,
  httpVersion,
  rawHeaders,
}: IncomingMessage): string | null {
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return `the version must be HTTP/1.1, not HTTP/${httpVersion}`;
  const coding = requestHeaders['transfer-encoding'];
  if (coding !== undefined && httpVersion === '1.0') return 'Transfer-Encoding must not be used in HTTP/1.0';
  if (coding !== undefined && !/^chunked$/i.test(coding))
    return 'the only supported Transfer-Encoding is chunked';
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && /^host$/i.test(text));
  return hosts.length > 1 ? 'there must be one Host header, not several' : null;
}

/** Answers 400 with a reason and closes the connection, because the end of the message is ambiguous. */
export function rejectHead(outgoing: ServerResponse, headError: string): void {
  const body = toJson({ errors: [`The request is not valid HTTP: ${headError}.`] });
  outgoing.writeHead(400, { ...headers, Connection: 'close', 'Content-Length': Buffer.byteLength(body) });
  outgoing.end(body);
}

/**
 * Answers 417 to an `Expect` other than `100-continue`, and closes the connection: the client may wait with its body,
 * or send it.
 */
export function rejectExpectation(outgoing: ServerResponse): void {
  outgoing.writeHead(417, { ...headers, Connection: 'close' }).end(errorBody(417));
}

const headers = { 'Access-Control-Allow-Origin': '*', 'Content-Type': jsonType };

function errorBody(status: number): string {
  return toJson({ errors: [`The request is not valid HTTP: ${STATUS_CODES[status] ?? 'Bad Request'}.`] });
}

/** Closes a connection with an answer that has only a status and an error. */
export function endWithStatus(socket: Duplex, status: number): void {
  const body = errorBody(status);
  const lines = Object.entries({
    Connection: 'close',
    ...headers,
    'Content-Length': Buffer.byteLength(body),
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body].join('\r\n'));
}
