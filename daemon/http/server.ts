import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { VencError } from '../../src/api/errors.js';
import { brokenAddressResponse, nameHost, refuseBrokenRequests } from './broken-requests.js';

/** A server that listens. */
export interface HttpServer {
  readonly port: number;
  /** Ends idle connections and waits for the answers under way, at most `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Where to listen. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Milliseconds for the head of a request to arrive. */
  readonly headTimeoutMs?: number;
}

const defaultHeadTimeoutMs = 60_000;
/** How often Node looks for heads that are overdue; left to itself it does so every 30 seconds, and a minute becomes one and a half. */
const overdueCheckMs = 1000;

/**
 * Listens with an app. Rejects with `InUseError` where the port is taken, `UsageError` where the address can't be used.
 */
export async function listen(
  app: { readonly fetch: Parameters<typeof getRequestListener>[0] },
  options: ListenOptions,
): Promise<HttpServer> {
  const { headTimeoutMs = defaultHeadTimeoutMs } = options;
  const answer = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    // The app answers its own errors: what comes here was refused before it got there.
    errorHandler: brokenAddressResponse,
  });
  const server = createServer(
    // Uploads may take as long as there is room and bytes come: only the head has a time limit here, bodies have their own.
    {
      requestTimeout: 0,
      headersTimeout: headTimeoutMs,
      connectionsCheckingInterval: Math.min(overdueCheckMs, headTimeoutMs),
      keepAliveTimeout: 15_000,
      requireHostHeader: false,
    },
    (incoming, outgoing) => {
      nameHost(incoming);
      void answer(incoming, outgoing);
    },
  );
  refuseBrokenRequests(server);
  await started(server, options);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server listens on no port');
  return { port: address.port, close: (graceMs) => closed(server, graceMs) };
}

/** What keeps a server from listening, in words. */
const listenTroubles: Readonly<Record<string, string>> = {
  EACCES: 'this user may not use that port',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name servers do not answer',
};

function started(server: Server, { host, port }: ListenOptions): Promise<void> {
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
              `Cannot listen on ${host} port ${port}: ${listenTroubles[error.code ?? ''] ?? error.message}.`,
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
