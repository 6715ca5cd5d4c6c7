import type { Direction } from '../disk-faults.js';
import type { Watched } from './attempts.js';
import type { FileServer, FileSession, RemotePlace } from './file-server.js';
import type { Trouble } from './trouble.js';

/** With whom, and on which way. */
export interface SessionParts {
  readonly server: FileServer;
  readonly place: RemotePlace;
  readonly direction: Direction;
}

/** Does something in a session of its own, which ends with it, or with the signal. Errors of the session become troubles. */
export async function inSession(
  { server, place, direction }: SessionParts,
  watched: Watched,
  work: (session: FileSession) => Promise<Trouble | null>,
): Promise<Trouble | null> {
  let session: FileSession | null = null;
  const close = () => session?.close();
  watched.signal.addEventListener('abort', close, { once: true });
  try {
    session = await server.connect(place, watched, direction);
    watched.signal.throwIfAborted();
    return await work(session);
  } catch (error) {
    watched.signal.throwIfAborted();
    return server.trouble(error, direction, place);
  } finally {
    watched.signal.removeEventListener('abort', close);
    close();
  }
}
