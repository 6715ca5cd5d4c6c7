import { createServer, type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { VencError } from '../../src/api/errors.js';
import { jsonType, toJson } from './represent/json.js';

/** A server that listens. */
export interface HttpServer {
  readonly port: number;
  /** Ends idle connections and waits for the answers under way, at most `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Milliseconds for the head of a request to arrive. */
const headersTimeoutMs = 60_000;

/**
 * Listens with an app. Rejects with `InUseError` where the port is taken, `UsageError` where the address can't be used.
 */
export async function listen(
  app: { readonly fetch: Parameters<typeof getRequestListener>[0] },
  options: { readonly host: string; readonly port: number },
): Promise<HttpServer> {
  const server = createServer(
    // Uploads may take as long as there is room and bytes come: only the head has a time limit here, bodies have their own.
    { requestTimeout: 0, headersTimeout: headersTimeoutMs, keepAliveTimeout: 15_000 },
    getRequestListener(app.fetch, { overrideGlobalObjects: false }),
  );
  server.on('clientError', refuseBrokenRequest);
  await started(server, options);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server listens on no port');
  return { port: address.port, close: (graceMs) => closed(server, graceMs) };
}

function started(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new VencError('InUseError', `Port ${port} on ${host} is in use.`, {
              cause: error,
              hint: 'Choose another one with --port, or 0 for a free one.',
            })
          : new VencError(
              'UsageError',
              `Cannot listen on ${host} port ${port}: ${error.code ?? error.message}.`,
              {
                cause: error,
                hint: 'Choose another address with --host and --port.',
              },
            ),
      );
    });
    server.listen(port, host, () => resolve());
  });
}

function closed(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

const parserStatus: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Requests that the HTTP parser refuses get a body as well: no error is ever empty. */
function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Socket | NodeJS.WritableStream): void {
  if (!('writable' in socket) || !socket.writable || error.code === 'ECONNRESET') {
    if ('destroy' in socket) socket.destroy();
    return;
  }
  const status = parserStatus[error.code ?? ''] ?? 400;
  const body = toJson({
    errors: [`The request is not valid HTTP: ${STATUS_CODES[status] ?? 'Bad Request'}.`],
  });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'Connection: close',
      'Access-Control-Allow-Origin: *',
      `Content-Type: ${jsonType}`,
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
}
