import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createServer as createSocketServer } from 'node:net';

/** A request as the server received it. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** An HTTP server whose responses the test controls. */
export interface HttpSource {
  /** The URL of a path; `credentials` are put before the host. */
  url(path: string, credentials?: string): string;
  readonly port: number;
  /** Every request so far. */
  readonly seen: readonly SeenRequest[];
  close(): Promise<void>;
}

/** How a server listens. */
export interface SourceOptions {
  readonly host?: string;
  /** Key and certificate, for https. */
  readonly tls?: ServerOptions;
}

/** Starts a server on a free port. The third argument of `answer` is the number of the request, from 1. */
export async function startHttpSource(
  answer: (...parts: [...Parameters<RequestListener>, number]) => void,
  { host = '127.0.0.1', tls }: SourceOptions = {},
): Promise<HttpSource> {
  const seen: SeenRequest[] = [];
  const listener: RequestListener = (request, response) => {
    seen.push({ path: request.url ?? '', headers: request.headers });
    answer(request, response, seen.length);
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const scheme = tls === undefined ? 'http' : 'https';
  const hostInUrl = host.includes(':') ? `[${host}]` : host;
  return {
    port,
    seen,
    url: (path, credentials) =>
      `${scheme}://${credentials ? `${credentials}@` : ''}${hostInUrl}:${port}${path}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Starts a server for raw connections, to send what no HTTP server would. Resolves to its base URL and a function that stops it. */
export async function startSocketSource(
  handle: (socket: Socket) => void,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    handle(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
