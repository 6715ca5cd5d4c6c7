import type { Direction } from '../../transfer/disk-errors.js';
import type { TransferError } from '../../transfer/transfer-error.js';
import { type Watchdog, withIdleTimeout } from '../../transfer/with-retry.js';
import type { FileServer, FileSession, RemoteLocation } from './file-server.js';

/** With whom, on which way, and for how long. */
export interface RemoteSessionOptions {
  readonly server: FileServer;
  readonly location: RemoteLocation;
  readonly direction: Direction;
  readonly signal: AbortSignal;
  readonly stallTimeoutMs: number;
}

/**
 * Does something in a session of its own, which ends with it, with the signal, and where nothing moves for the stall timeout. Errors of
 * the session become troubles.
 */
export function withSession(
  { server, location, direction, signal, stallTimeoutMs }: RemoteSessionOptions,
  work: (session: FileSession, watchdog: Watchdog) => Promise<TransferError | null>,
): Promise<TransferError | null> {
  return withIdleTimeout({ signal, stallTimeoutMs, direction, host: location.name }, async (watchdog) => {
    let session: FileSession | null = null;
    const close = () => session?.close();
    watchdog.signal.addEventListener('abort', close, { once: true });
    try {
      session = await server.connect(location, watchdog, direction);
      watchdog.signal.throwIfAborted();
      return await work(session, watchdog);
    } catch (error) {
      watchdog.signal.throwIfAborted();
      return server.mapError(error, direction, location);
    } finally {
      watchdog.signal.removeEventListener('abort', close);
      close();
    }
  });
}
