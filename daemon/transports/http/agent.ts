import type { Agent, buildConnector } from 'undici';
import type { Guard } from '../guard.js';

/**
 * Milliseconds for one address of a host before the next one is tried as well. Node's own 250 ms would miss hosts that are far away.
 */
const nextAddressAfterMs = 2_000;

/**
 * An agent whose every connection passes the guard: the host before, each address looked up, and the address connected to. Node's own
 * fetch would not do, as it asks nobody about where it connects.
 */
export async function createGuardedAgent(guard: Guard, connectTimeoutMs: number): Promise<Agent> {
  // Loaded with the first download: a daemon at rest does without it.
  const undici = await import('undici');
  const connect = undici.buildConnector({
    // Types of the package know the options of TCP and of TLS, not that both go to whichever is opened.
    ...{ lookup: guard.lookup, autoSelectFamily: true },
    autoSelectFamilyAttemptTimeout: nextAddressAfterMs,
    timeout: connectTimeoutMs,
  });
  const connector: buildConnector.connector = (options, callback) => {
    try {
      guard.checkHost(options.hostname);
    } catch (error) {
      queueMicrotask(() => callback(asError(error), null));
      return;
    }
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      try {
        guard.checkSocket(options.hostname, socket);
        callback(null, socket);
      } catch (refusal) {
        socket.destroy();
        callback(asError(refusal), null);
      }
    });
  };
  // Stalls are watched by the download itself, to the millisecond; the agent's own clocks tick in seconds.
  return new undici.Agent({ connect: connector, headersTimeout: 0, bodyTimeout: 0 });
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
