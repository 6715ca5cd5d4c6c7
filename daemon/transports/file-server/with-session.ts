import type { Direction } from '../../transfer/map-disk-error.js';
import type { Trouble } from '../../transfer/transfer-error.js';
import { type Watched, withoutStall } from '../../transfer/with-retry.js';
import type { FileServer, FileSession, RemotePlace } from './file-server.js';

/** With whom, on which way, and for how long. */
export interface SessionParts {
  readonly server: FileServer;
  readonly place: RemotePlace;
  readonly direction: Direction;
  readonly signal: AbortSignal;
  readonly stallTimeoutMs: number;
}

/**
 * Does something in a session of its own, which ends with it, with the signal, and where nothing moves for the stall timeout. Errors of
 * the session become troubles.
 */
export function inSession(
  { server, place, direction, signal, stallTimeoutMs }: SessionParts,
  work: (session: FileSession, watched: Watched) => Promise<Trouble | null>,
): Promise<Trouble | null> {
  return withoutStall({ signal, stallTimeoutMs, direction, host: place.name }, async (watched) => {
    let session: FileSession | null = null;
    const close = () => session?.close();
    watched.signal.addEventListener('abort', close, { once: true });
    try {
      session = await server.connect(place, watched, direction);
      watched.signal.throwIfAborted();
      return await work(session, watched);
    } catch (error) {
      watched.signal.throwIfAborted();
      return server.trouble(error, direction, place);
    } finally {
      watched.signal.removeEventListener('abort', close);
      close();
    }
  });
}
