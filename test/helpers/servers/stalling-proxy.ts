import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy that stops forwarding in the middle of a transfer. */
export interface StallingProxy {
  readonly port: number;
  /** Resolves when it has stopped forwarding. */
  readonly closed: Promise<void>;
  /** Forwards later connections again. Stalled connections stay stalled. */
  forward(): void;
  /** Whether a stalled connection is still open on the client's side. */
  readonly holds: () => boolean;
  end(): Promise<void>;
}

/** Starts a proxy to a loopback port. After a number of bytes in both directions together, it drops everything that it receives. */
export async function startStallingProxy(toPort: number, afterBytes: number): Promise<StallingProxy> {
  const sockets = new Set<Socket>();
  /** Clients of stalled connections. */
  const clients = new Set<Socket>();
  let passed = 0;
  let mode: 'open' | 'closed' | 'forwarding' = 'open';
  let resolveClosed = () => {};
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve;
  });
  const server = createServer((client) => {
    const inner = connect(toPort, '127.0.0.1');
    for (const [one, other] of [
      [client, inner],
      [inner, client],
    ] as const) {
      sockets.add(one);
      let isStalled = false;
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        clients.delete(one);
        other.destroy();
      });
      one.on('data', (bytes: Buffer) => {
        passed += bytes.byteLength;
        if (mode === 'open' && passed > afterBytes) {
          mode = 'closed';
          resolveClosed();
        }
        isStalled ||= mode === 'closed';
        if (isStalled) clients.add(client);
        else if (!other.write(bytes)) {
          one.pause();
          other.once('drain', () => one.resume());
        }
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    closed,
    forward() {
      mode = 'forwarding';
    },
    holds: () => clients.size > 0,
    end: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
