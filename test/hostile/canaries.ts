import { EventEmitter, once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** A connection that arrived at a canary: a listener that nothing may connect to. */
export interface CanaryConnection {
  readonly address: string;
  readonly port: number;
}

/** Listeners that record every connection. */
export interface Canaries {
  /** The connections so far to addresses that are not in `allowed`. */
  connections(allowed?: readonly string[]): readonly CanaryConnection[];
  /** Resolves at the first connection to an address that is not in `allowed`. */
  waitForConnection(allowed: readonly string[]): Promise<void>;
  /** The ports, in the order in which they were asked for. */
  readonly ports: readonly number[];
  close(): Promise<void>;
}

/** Listens on ports of an address, by default of all addresses of this machine; port 0 is a free one. */
export async function startCanaries(ports: readonly number[], host = '::'): Promise<Canaries> {
  const seen: CanaryConnection[] = [];
  const sockets = new Set<Socket>();
  const arrivals = new EventEmitter();
  const connections = (allowed: readonly string[] = []) =>
    seen.filter(({ address }) => !allowed.includes(address));
  const take = (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
    seen.push({ address: plain(socket.localAddress ?? ''), port: socket.localPort ?? 0 });
    arrivals.emit('connection');
  };
  const servers = await Promise.all(ports.map((port) => listening(createServer(take), port, host)));
  return {
    connections,
    async waitForConnection(allowed) {
      while (connections(allowed).length === 0) await once(arrivals, 'connection');
    },
    ports: servers.map((server) => portOf(server)),
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

/** An IPv4 address that arrives at a listener for both families is written as one of IPv6. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}

function listening(server: Server, port: number, host: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve(server));
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
