import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Forwards connections to a port of this machine, as a network does. */
export interface Relay {
  readonly port: number;
  /** Bytes that were forwarded so far. */
  bytes(): { readonly toServer: number; readonly toClient: number };
  /** Keeps all connections open and forwards nothing any more. */
  cut(): void;
  /** Stops forwarding to the server in each connection, old or new, that has sent more bytes than this. */
  limit(bytesToServer: number): void;
  close(): Promise<void>;
}

/** Starts a relay on a loopback port, by default a free one. */
export async function startRelay(target: number, port = 0): Promise<Relay> {
  const sockets = new Set<Socket>();
  const forwarded = { toServer: 0, toClient: 0 };
  let maxBytes = Number.POSITIVE_INFINITY;
  const relay = createServer((client) => {
    const server = connect(target, '127.0.0.1');
    let sentBytes = 0;
    client.on('data', ({ length }) => {
      forwarded.toServer += length;
      sentBytes += length;
      if (sentBytes > maxBytes) client.unpipe().pause();
    });
    server.on('data', ({ length }) => {
      forwarded.toClient += length;
    });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.pipe(to);
    }
  });
  relay.listen(port, '127.0.0.1');
  await once(relay, 'listening');
  const address = relay.address();
  if (address === null || typeof address === 'string') throw new Error('The relay has no port.');
  return {
    port: address.port,
    bytes: () => ({ ...forwarded }),
    cut() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    limit(bytesToServer) {
      maxBytes = bytesToServer;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      relay.close();
      await once(relay, 'close');
    },
  };
}
