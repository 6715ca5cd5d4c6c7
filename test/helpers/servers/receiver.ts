import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a receiver of notices saw it, with all of its body. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of notices on the loopback. */
export interface Receiver {
  readonly port: number;
  /** The address of a path; credentials go in front of the host. */
  url(path: string, credentials?: string): string;
  /** Every request so far. */
  readonly received: readonly Received[];
  /** How many requests it has not answered yet, now and at most. */
  readonly open: { readonly now: number; readonly most: number };
  /** How many connections there were. */
  readonly connections: number;
  close(): Promise<void>;
}

/** Answers a request, the number of which, from 1, is given. One that does not answer hangs. */
export type ReceiverAnswer = (response: ServerResponse, received: Received, count: number) => void;

const thanks: ReceiverAnswer = (response) => response.writeHead(204).end();

/** Starts one on a free port, or on the one given. */
export async function startReceiver(answer: ReceiverAnswer = thanks, port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const open = { now: 0, most: 0 };
  let connections = 0;
  const server = createServer(async (request, response) => {
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    response.once('close', () => {
      open.now -= 1;
    });
    const pieces: Uint8Array[] = [];
    for await (const piece of request) pieces.push(piece);
    const { method = '', url = '', headers } = request;
    const seen = { method, path: url, headers, body: Buffer.concat(pieces).toString('utf8') };
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
