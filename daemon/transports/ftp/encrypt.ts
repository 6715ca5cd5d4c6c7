import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect, rootCertificates, type TLSSocket } from 'node:tls';

/**
 * How a host is spoken to over TLS. Its certificate is checked, its name too; on data connections for the same name as on the first one,
 * since a session that is gone on with is bound to it.
 */
export function tlsOptionsOf(host: string, authorities: readonly string[] = []): ConnectionOptions {
  const ca = authorities.length === 0 ? {} : { ca: [...rootCertificates, ...authorities] };
  return { host, servername: isIP(host) === 0 ? host : '', ...ca };
}

/** A socket that is being encrypted. */
export interface Encrypted {
  readonly socket: TLSSocket;
  /** Settles when both sides know each other. */
  readonly ready: Promise<void>;
}

/** Encrypts an open connection. */
export function encrypt(plainSocket: Socket, options: ConnectionOptions): Encrypted {
  const socket = connect({ ...options, socket: plainSocket });
  const ready = new Promise<void>((resolve, reject) => {
    socket.once('secureConnect', () => resolve());
    socket.on('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
  // Whoever waits for it is told; until then, and afterwards, nobody has to.
  ready.catch(() => undefined);
  return { socket, ready };
}
