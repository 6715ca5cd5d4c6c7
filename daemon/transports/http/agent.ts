import type { Agent, buildConnector } from 'undici';
import type { Guard } from '../guard.js';
import { openSocket } from '../open-socket.js';
import type { SocketBuffers } from '../socket-buffers.js';

/**
 * An agent whose every connection passes the guard. Node's own fetch would not do, as it asks nobody about where it connects. undici's
 * own connector would, but its clock ticks in seconds, and a connection that it gave up cannot be got at. Who gives buffers says when pieces of
 * bodies are done with.
 */
export async function createGuardedAgent(
  guard: Guard,
  connectTimeoutMs: number,
  buffers: SocketBuffers | null = null,
): Promise<Agent> {
  // Loaded with the first download: a daemon at rest does without it.
  const { Agent } = await import('undici');
  const connect: buildConnector.connector = ({ hostname, port, protocol }, callback) => {
    const isTls = protocol === 'https:';
    const target = { host: hostname, port: Number(port || (isTls ? 443 : 80)), isTls, buffers };
    openSocket(guard, target, connectTimeoutMs).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };
  // Stalls are watched by the download itself, to the millisecond.
  return new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
}
