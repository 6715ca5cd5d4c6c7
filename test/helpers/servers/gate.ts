import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that closes in the middle of a transfer. */
export interface Gate {
  readonly port: number;
  /** Resolves once it has closed. */
  readonly closed: Promise<void>;
  /** Lets later connections pass; those that were held stay held. */
  forward(): void;
  /** Whether any of the held connections is still open on the client's side. */
  readonly holds: () => boolean;
  end(): Promise<void>;
}

/** Stands before a port of the loopback; after so many bytes, both ways together, nothing more passes. What is held is swallowed. */
export async function startGate(toPort: number, afterBytes: number): Promise<Gate> {
  const sockets = new Set<Socket>();
  /** Those whose connections are held. */
  const clients = new Set<Socket>();
  let passed = 0;
  let state: 'open' | 'closed' | 'open for good' = 'open';
  let tell = () => {};
  const closed = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const server = createServer((client) => {
    const inner = connect(toPort, '127.0.0.1');
    for (const [one, other] of [
      [client, inner],
      [inner, client],
    ] as const) {
      sockets.add(one);
      let isHeld = false;
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        clients.delete(one);
        other.destroy();
      });
      one.on('data', (bytes: Buffer) => {
        passed += bytes.byteLength;
        if (state === 'open' && passed > afterBytes) {
          state = 'closed';
          tell();
        }
        isHeld ||= state === 'closed';
        if (isHeld) clients.add(client);
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
      state = 'open for good';
    },
    holds: () => clients.size > 0,
    end: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
