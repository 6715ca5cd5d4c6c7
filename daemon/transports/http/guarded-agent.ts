import { type ClientRequestArgs, Agent as SocketPool } from 'node:http';
import type { Socket } from 'node:net';
import { asError, openSocket } from '../../net/open-socket.js';
import type { SsrfGuard } from '../../net/ssrf-guard.js';
import { type GuardedRequest, type GuardedResponse, sendRequest } from './send-request.js';

/** Makes requests, over connections that it keeps for the next ones. */
export interface GuardedAgent {
  /**
   * Makes one request and resolves when the head of its answer has come, whatever its status. Redirects are not followed. Rejects with the
   * error of the connection or of the guard, and with the reason of the signal, which ends the body as well.
   */
  request(request: GuardedRequest): Promise<GuardedResponse>;
  /** Ends all connections, those under way included. */
  destroy(): void;
}

/** How long a connection that nobody uses is kept, in milliseconds. */
const idleTimeoutMs = 4_000;

/**
 * An agent whose every connection passes the guard: Node's own would ask nobody about where it connects. The transfers watch for stalls
 * themselves, so no request has a time limit here.
 */
export function createGuardedAgent(guard: SsrfGuard, connectTimeoutMs: number): GuardedAgent {
  const destroyed = new AbortController();
  const connections = { guard, connectTimeoutMs, signal: destroyed.signal };
  const pools = {
    'http:': new GuardedPool(connections, false),
    'https:': new GuardedPool(connections, true),
  };
  return {
    async request(request) {
      destroyed.signal.throwIfAborted();
      const { protocol } = new URL(request.origin);
      return sendRequest(request, pools[protocol === 'https:' ? 'https:' : 'http:']);
    },
    destroy() {
      destroyed.abort(new Error('the agent was ended'));
      for (const pool of Object.values(pools)) pool.destroy();
    },
  };
}

interface Connections {
  readonly guard: SsrfGuard;
  readonly connectTimeoutMs: number;
  /** Ends what is not connected yet. */
  readonly signal: AbortSignal;
}

/** Node's pool of connections, but for how they are opened. */
class GuardedPool extends SocketPool {
  readonly #connections: Connections;
  readonly #isTls: boolean;
  // Node looks at both of them, to choose the port and to refuse a request of the other scheme.
  readonly protocol: string;
  readonly defaultPort: number;

  constructor(connections: Connections, isTls: boolean) {
    super({ keepAlive: true, timeout: idleTimeoutMs });
    this.#connections = connections;
    this.#isTls = isTls;
    this.protocol = isTls ? 'https:' : 'http:';
    this.defaultPort = isTls ? 443 : 80;
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    callback: (error: Error | null, socket: Socket) => void = () => undefined,
  ): undefined {
    const { guard, connectTimeoutMs, signal } = this.#connections;
    const target = { host: host ?? '', port: Number(port), isTls: this.#isTls, readerCopies: true };
    openSocket(guard, target, connectTimeoutMs, signal).then(
      (socket) => callback(null, socket),
      // Node looks at the socket only where there is no error.
      (error: unknown) => Reflect.apply(callback, null, [asError(error)]),
    );
  }
}
