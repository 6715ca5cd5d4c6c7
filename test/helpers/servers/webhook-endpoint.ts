import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the webhook endpoint received it, with its complete body. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A webhook endpoint on the loopback. */
export interface WebhookEndpoint {
  readonly port: number;
  /** The URL of a path; `credentials` are put before the host. */
  url(path: string, credentials?: string): string;
  /** Every request so far. */
  readonly received: readonly ReceivedRequest[];
  /** Number of unanswered requests, now and at most. */
  readonly open: { readonly now: number; readonly maxOpen: number };
  /** Number of connections so far. */
  readonly connections: number;
  close(): Promise<void>;
}

/** Answers a request. `count` is its number, from 1. A function that does not answer makes the request hang. */
export type WebhookAnswer = (response: ServerResponse, received: ReceivedRequest, count: number) => void;

const noContent: WebhookAnswer = (response) => response.writeHead(204).end();

/** Starts an endpoint on a free port or on the given one. */
export async function startWebhookEndpoint(
  answer: WebhookAnswer = noContent,
  port = 0,
): Promise<WebhookEndpoint> {
  const received: ReceivedRequest[] = [];
  const open = { now: 0, maxOpen: 0 };
  let connections = 0;
  const server = createServer(async (request, response) => {
    open.now += 1;
    open.maxOpen = Math.max(open.maxOpen, open.now);
    response.once('close', () => {
      open.now -= 1;
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const seen = { method, path: url, headers, body: Buffer.concat(chunks).toString('utf8') };
    received.push(seen);
    answer(response, seen, received.length);
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const bound = (server.address() as AddressInfo).port;
  return {
    port: bound,
    url: (path, credentials) =>
      `http://${credentials === undefined ? '' : `${credentials}@`}127.0.0.1:${bound}${path}`,
    received,
    open,
    get connections() {
      return connections;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
