import { openSocket } from '../../net/open-socket.js';
import { SocketBuffers } from '../../net/socket-buffers.js';
import { connectTimeoutOf, type RemoteOptions } from '../../transfer/with-retry.js';
import type { FileServer } from '../file-server/file-server.js';
import { dataConnections } from './data-connection.js';
import { readFtpUrl } from './ftp-place.js';
import { ftpSession } from './ftp-session.js';
import { ftpTrouble } from './ftp-trouble.js';
import { logIn } from './log-in.js';
import { reach, type TlsHabits } from './reach.js';

/** What FTP depends on. */
export interface FtpOptions extends RemoteOptions {
  /** Certificates of authorities, as PEM, that are trusted beside Node's own and those of `NODE_EXTRA_CA_CERTS`. */
  readonly authorities?: readonly string[];
}

/** FTP servers, as one kind of server that keeps files. */
export function createFtpServer(options: FtpOptions): FileServer {
  const { guard, authorities = [] } = options;
  const timeoutMs = connectTimeoutOf(options);
  const habits: TlsHabits = new Map();
  return {
    read: readFtpUrl,
    trouble: ftpTrouble,
    async connect(place, watched, direction) {
      const { signal } = watched;
      const open = () =>
        openSocket(guard, { host: place.host, port: place.port, isTls: false }, timeoutMs, signal);
      const control = await reach({ place, watched, open, silenceMs: timeoutMs / 4, habits, authorities });
      const stop = () => control.end();
      signal.addEventListener('abort', stop, { once: true });
      try {
        signal.throwIfAborted();
        const traits = await logIn(control, place.credentials);
        watched.alive();
        const buffers = new SocketBuffers();
        const openData = dataConnections(control, { guard, buffers, timeoutMs, signal });
        return ftpSession({ control, traits, openData, buffers, place, direction });
      } catch (error) {
        control.end();
        throw error;
      } finally {
        signal.removeEventListener('abort', stop);
      }
    },
  };
}
