import { openSocket } from '../../net/open-socket.js';
import { SocketBuffers } from '../../net/socket-buffers.js';
import { connectTimeoutOf, type RemoteOptions } from '../../transfer/with-retry.js';
import type { FileServer } from '../file-server/file-server.js';
import { logIn } from './control-connection.js';
import { createDataConnector } from './data-connection.js';
import { createFtpSession } from './ftp-session.js';
import { mapFtpError } from './map-ftp-error.js';
import { openControlConnection, type TlsModeCache } from './open-control-connection.js';

/** Options of FTP connections. */
export interface FtpOptions extends RemoteOptions {
  /** CA certificates (PEM) that are trusted in addition to Node's own and those of `NODE_EXTRA_CA_CERTS`. */
  readonly authorities?: readonly string[];
}

/** Creates the file server for FTP. */
export function createFtpServer(options: FtpOptions): FileServer {
  const { guard, authorities = [] } = options;
  const timeoutMs = connectTimeoutOf(options);
  const tlsModes: TlsModeCache = new Map();
  return {
    mapError: mapFtpError,
    async connect(location, watchdog, direction) {
      const { signal } = watchdog;
      const openControl = () =>
        openSocket(guard, { host: location.host, port: location.port, isTls: false }, timeoutMs, signal);
      const control = await openControlConnection({
        location,
        watchdog,
        openSocket: openControl,
        serverFirstTimeoutMs: timeoutMs / 4,
        tlsModes,
        authorities,
      });
      const onAbort = () => control.end();
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        signal.throwIfAborted();
        const capabilities = await logIn(control, location.credentials);
        watchdog.reportActivity();
        const buffers = new SocketBuffers();
        const openData = createDataConnector(control, { guard, buffers, timeoutMs, signal });
        return createFtpSession({ control, capabilities, openData, buffers, location, direction });
      } catch (error) {
        control.end();
        throw error;
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}
