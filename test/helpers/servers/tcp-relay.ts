import type { AddressInfo } from 'node:net';
import { createConnection, createServer, type Socket } from 'node:net';

/** A relay of TCP connections on the loopback, which can cut them. */
export interface TcpRelay {
  readonly port: number;
  /** The port that new connections are relayed to. */
  toPort: number;
  /** While it is cut, connections are accepted and nothing passes in either direction, as when a cable is pulled. */
  isCut: boolean;
  /** Bytes that have passed, in both directions. */
  readonly passedBytes: number;
  /** Number of connections that `cutAfterBytes` has closed. */
  readonly cutCount: number;
  close(): Promise<void>;
}

/** What a relay does to connections. */
interface RelayOptions {
  /** Closes each connection after this time, as a proxy with a time limit does; 0 for never. */
  readonly maxConnectionMs?: number;
  /** Closes this many connections, each once that many bytes have passed through it. */
  readonly cutAfterBytes?: { readonly bytes: number; readonly connections: number };
}

/** Starts a relay to a port of the loopback. */
export async function startTcpRelay(
  toPort: number,
  { maxConnectionMs = 0, cutAfterBytes }: RelayOptions = {},
): Promise<TcpRelay> {
  const sockets = new Set<Socket>();
  const relay = { toPort, isCut: false, passedBytes: 0, cutCount: 0 };
  const server = createServer((near) => {
    const far = createConnection(relay.toPort, '127.0.0.1');
    let passedBytes = 0;
    const pass = (from: Socket, to: Socket) => {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.once('close', () => {
        sockets.delete(from);
        if (!relay.isCut) to.destroy();
      });
      // What arrives during a cut is lost for good: the other side sees silence.
      from.on('data', (chunk: Buffer) => {
        if (relay.isCut) return;
        const isTaken = to.write(chunk);
        // What waits here for a slow receiver would be lost with the connection, and be sent again.
        if (!isTaken && cutAfterBytes !== undefined) {
          from.pause();
          to.once('drain', () => from.resume());
        }
        passedBytes += chunk.length;
        relay.passedBytes += chunk.length;
        if (cutAfterBytes === undefined || passedBytes < cutAfterBytes.bytes) return;
        if (relay.cutCount >= cutAfterBytes.connections) return;
        relay.cutCount += 1;
        near.destroy();
      });
    };
    pass(near, far);
    pass(far, near);
    if (maxConnectionMs > 0) setTimeout(() => near.destroy(), maxConnectionMs).unref();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get toPort() {
      return relay.toPort;
    },
    set toPort(port) {
      relay.toPort = port;
    },
    get isCut() {
      return relay.isCut;
    },
    set isCut(isCut) {
      relay.isCut = isCut;
    },
    get passedBytes() {
      return relay.passedBytes;
    },
    get cutCount() {
      return relay.cutCount;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
