import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { VencError } from '../../src/shared/errors.js';
import { Connection, type ConnectionLimits } from './connection.js';
import {
  findHeadError,
  handleInvalidRequests,
  invalidAddressResponse,
  rejectHead,
  setDefaultHost,
} from './parser-errors.js';

/** A server that listens. */
export interface HttpServer {
  readonly port: number;
  /** Ends idle connections and waits for the answers under way, at most `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Where to listen, and for whom. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Milliseconds for a request to arrive, with its body; 60 seconds where it is not given. */
  readonly requestTimeoutMs?: number;
  /** Whether the body of a request may take longer: none may where it is not given. */
  readonly hasNoTimeout?: (incoming: IncomingMessage) => boolean;
  /** Connections at once; as many as this process has files for, where it is not given. */
  readonly maxConnections?: number;
  /** Called when connections were closed because there were too many, once a minute at most. */
  readonly onConnectionLimit?: (maxConnections: number) => void;
}

const defaultRequestTimeoutMs = 60_000;
/** How often Node looks for heads that are overdue; left to itself it does so every 30 seconds, and a minute becomes one and a half. */
const overdueCheckMs = 1000;
/** The most connections, however many files the process may open. */
const maxAllowedConnections = 10_000;
/** Milliseconds between two messages that there are too many. */
const connectionLimitLogIntervalMs = 60_000;

/**
 * Listens with an app. Rejects with `InUseError` where the port is taken, `UsageError` where the address can't be used.
 */
export async function listen(
  app: { readonly fetch: Parameters<typeof getRequestListener>[0] },
  options: ListenOptions,
): Promise<HttpServer> {
  const { requestTimeoutMs = defaultRequestTimeoutMs, hasNoTimeout = () => false } = options;
  const answer = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    // The app answers its own errors: what comes here was refused before it got there.
    errorHandler: invalidAddressResponse,
  });
  const server = createServer({
    // Uploads may take as long as there is room and bytes come: Node times the heads, `Connection` the bodies.
    requestTimeout: 0,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(overdueCheckMs, requestTimeoutMs),
    keepAliveTimeout: 15_000,
    requireHostHeader: false,
  });
  const connections = trackConnections(server, { requestTimeoutMs, hasNoTimeout });
  server.on('request', (incoming, outgoing) => {
    connections.get(incoming.socket)?.handle({
      incoming,
      outgoing,
      answer: () => {
        const headError = findHeadError(incoming);
        if (headError !== null) return rejectHead(outgoing, headError);
        setDefaultHost(incoming);
        void answer(incoming, outgoing);
      },
    });
  });
  handleInvalidRequests(server);
  await limitConnections(server, options);
  await startListening(server, options);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server listens on no port');
  return { port: address.port, close: (graceMs) => closeServer(server, graceMs) };
}

function trackConnections(server: Server, limits: ConnectionLimits): WeakMap<Socket, Connection> {
  const connections = new WeakMap<Socket, Connection>();
  server.on('connection', (socket) => connections.set(socket, new Connection(socket, limits)));
  server.on('connect', ({ socket }: IncomingMessage) => connections.get(socket)?.release());
  return connections;
}

async function limitConnections(
  server: Server,
  { maxConnections, onConnectionLimit }: ListenOptions,
): Promise<void> {
  const limit = maxConnections ?? (await defaultMaxConnections());
  server.maxConnections = limit;
  let loggedAt = Number.NEGATIVE_INFINITY;
  // Those beyond it are closed by Node before they cost anything.
  server.on('drop', () => {
    if (performance.now() - loggedAt < connectionLimitLogIntervalMs) return;
    loggedAt = performance.now();
    onConnectionLimit?.(limit);
  });
}

/** A third of the files that this process may open: each connection may have a hosted file open, and jobs need theirs. */
async function defaultMaxConnections(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const maxFiles = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  return Math.min(maxAllowedConnections, Math.floor(maxFiles / 3));
}

/** What keeps a server from listening, in words. */
const listenErrorReasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not use that port',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name servers do not answer',
};

function startListening(server: Server, { host, port }: ListenOptions): Promise<void> {
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
              `Cannot listen on ${host} port ${port}: ${listenErrorReasons[error.code ?? ''] ?? error.message}.`,
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

function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
