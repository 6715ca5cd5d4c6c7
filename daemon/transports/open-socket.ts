import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Guard } from './guard.js';
import type { SocketBuffers } from './socket-buffers.js';

/** What to connect to. */
export interface SocketTarget {
  /** A name or an address, as a URL has it but without brackets. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** What the bytes that come are read into; buffers of Node's where it is not given, and for TLS. */
  readonly buffers?: SocketBuffers | null;
}

/**
 * Milliseconds for one address of a host before the next one is tried as well. Node's own 250 ms would miss hosts that are far away.
 */
const nextAddressAfterMs = 2_000;

/**
 * Opens a connection that has passed the guard in all three ways: the host, the addresses it was looked up to, and the address that is
 * connected to. Rejects with the error of the system or of the guard; with code `ETIMEDOUT` where looking up, connecting and the
 * TLS handshake together take too long, and with the reason of the signal where that ends it.
 */
export function openSocket(
  guard: Guard,
  target: SocketTarget,
  timeoutMs: number,
  signal: AbortSignal | null = null,
): Promise<Socket> {
  const { host, port, isTls, buffers = null } = target;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    guard.checkHost(host);
    const options = {
      host,
      port,
      lookup: guard.lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: nextAddressAfterMs,
    };
    const socket: Socket = isTls
      ? connectTls({ ...options, servername: isIP(host) === 0 ? host : '', ALPNProtocols: ['http/1.1'] })
      : connectTcp(buffers === null ? options : { ...options, onread: readInto(buffers, () => socket) });
    const timer = setTimeout(() => socket.destroy(timedOut()), timeoutMs);
    const stop = () => {
      reject(signal?.reason);
      socket.destroy();
    };
    signal?.addEventListener('abort', stop, { once: true });
    const settled = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    };
    socket.once('close', settled);
    // Stays for good: whoever gets the socket may not listen yet when it breaks.
    socket.on('error', (error) => {
      settled();
      reject(error);
    });
    socket.once('connect', () => {
      try {
        // Before a TLS handshake: not even the name of the server is told to a forbidden address.
        guard.checkSocket(host, socket);
      } catch (error) {
        socket.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    });
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      settled();
      if (!socket.destroyed) resolve(socket.setNoDelay(true).setKeepAlive(true));
    });
  });
}

/** Hands on what was read as the socket itself would, but for whose buffers it lies in. */
function readInto(buffers: SocketBuffers, socket: () => Socket): OnReadOpts {
  return {
    buffer: () => buffers.next(),
    callback: (bytes, buffer) => socket().push(buffers.read(buffer, bytes)),
  };
}

function timedOut(): Error {
  return Object.assign(new Error('the connection took too long'), { code: 'ETIMEDOUT' });
}
