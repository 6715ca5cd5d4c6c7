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
  rejectExpectation,
  rejectHead,
  setDefaultHost,
} from './parser-errors.js';

/** A listening server. */
export interface HttpServer {
  readonly port: number;
  /** Closes idle connections and waits for pending answers, at most `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** Where to listen, and the limits of clients. */
interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Time for a request to arrive with its body, in milliseconds; 60 seconds by default. */
  readonly requestTimeoutMs?: number;
  /** Whether the body of a request may take longer; by default none may. */
  readonly hasNoTimeout?: (incoming: IncomingMessage) => boolean;
  /** Maximum number of connections; by default it depends on the limit of open files. */
  readonly maxConnections?: number;
  /** Called when connections were rejected because there were too many, at most once a minute. */
  readonly onConnectionLimit?: (maxConnections: number) => void;
}

const defaultRequestTimeoutMs = 60_000;
/**
 * How often Node checks for overdue request heads. Its default is 30 seconds, which would turn a minute into
 * one and a half.
 */
const overdueCheckMs = 1000;
/** Maximum number of connections, whatever the limit of open files. */
const maxAllowedConnections = 10_000;
/** Minimum interval between two log lines about too many connections, in milliseconds. */
const connectionLimitLogIntervalMs = 60_000;

/**
 * Serves an app. Rejects with `InUseError` if the port is in use, `UsageError` if the address cannot be used.
 */
export async function listen(
  app: { readonly fetch: Parameters<typeof getRequestListener>[0] },
  options: ListenOptions,
): Promise<HttpServer> {
  const { requestTimeoutMs = defaultRequestTimeoutMs, hasNoTimeout = () => false } = options;
  const answer = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    // The app answers its own errors; these requests failed before they reached it.
    errorHandler: invalidAddressResponse,
  });
  const server = createServer({
    // Uploads may take as long as bytes keep arriving: Node times the heads, `Connection` the bodies.
    requestTimeout: 0,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(overdueCheckMs, requestTimeoutMs),
    keepAliveTimeout: 15_000,
    requireHostHeader: false,
  });
  const connections = trackConnections(server, { requestTimeoutMs, hasNoTimeout });
  server.on('request', (incoming, outgoing) => {
    const connection = connections.get(incoming.socket);
    connection?.handle({
      incoming,
      outgoing,
      answer: () => {
        const headError = findHeadError(incoming);
        if (headError !== null) {
          // What follows may be a part of this message, and is not answered.
          connection.release();
          return rejectHead(outgoing, headError);
        }
        setDefaultHost(incoming);
        void answer(incoming, outgoing);
      },
    });
  });
  server.on('checkExpectation', (incoming, outgoing) => {
    const connection = connections.get(incoming.socket);
    connection?.handle({
      incoming,
      outgoing,
      answer: () => {
        connection.release();
        rejectExpectation(outgoing);
      },
    });
  });
  handleInvalidRequests(server, (socket) => connections.get(socket)?.isReleased === true);
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
  // Node closes further connections before they cost anything.
  server.on('drop', () => {
    if (performance.now() - loggedAt < connectionLimitLogIntervalMs) return;
    loggedAt = performance.now();
    onConnectionLimit?.(limit);
  });
}

/**
 * A third of the files that this process may open: each connection may serve a hosted file, and jobs need
 * files too.
 */
async function defaultMaxConnections(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const maxFiles = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  return Math.min(maxAllowedConnections, Math.floor(maxFiles / 3));
}

/** Why a server cannot listen, by system error. */
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
