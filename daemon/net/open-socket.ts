import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { SocketBuffers } from './socket-buffers.js';
import type { SsrfGuard } from './ssrf-guard.js';

/** What to connect to. */
export interface SocketTarget {
  /** A name or an address, as a URL has it but without brackets. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** What the bytes that come are read into; buffers of Node's where it is not given, and for TLS. */
  readonly buffers?: SocketBuffers | null;
  /** Whether the reader of the socket copies what it gets, as Node's HTTP parser does: one buffer for all reads will do, but not for TLS. */
  readonly readerCopies?: boolean;
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
  guard: SsrfGuard,
  target: SocketTarget,
  timeoutMs: number,
  signal: AbortSignal | null = null,
): Promise<Socket> {
  const { host, port, isTls } = target;
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
      : connectTcp({ ...options, ...readOptions(target, () => socket) });
    const timer = setTimeout(() => socket.destroy(timedOut()), timeoutMs);
    const onAbort = () => {
      reject(signal?.reason);
      socket.destroy();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const cleanUp = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    socket.once('close', cleanUp);
    // Stays for good: the caller may not listen yet when the socket fails.
    socket.on('error', (error) => {
      cleanUp();
      reject(error);
    });
    socket.once('connect', () => {
      try {
        // Before a TLS handshake: not even the name of the server is told to a forbidden address.
        guard.checkSocket(host, socket);
      } catch (error) {
        socket.destroy(asError(error));
      }
    });
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      cleanUp();
      if (!socket.destroyed) resolve(socket.setNoDelay(true).setKeepAlive(true));
    });
  });
}

/** An error as it is; anything else that was thrown as the message of one. */
export function asError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}

function readOptions({ buffers = null, readerCopies = false }: SocketTarget, socket: () => Socket) {
  if (buffers !== null) return { onread: readInto(buffers, socket) };
  return readerCopies ? { onread: readIntoOne(socket) } : {};
}

/** 256 KiB: what the system hands over at once on a fast line. Memory that no byte was read into takes no room. */
const oneBufferBytes = 1 << 18;

/** Reads into one buffer again and again. Of its own accord Node makes a new one of 64 KiB for each read, which takes half as long again. */
function readIntoOne(socket: () => Socket): OnReadOpts {
  let free: Uint8Array | null = null;
  return {
    buffer: () => {
      const next = free ?? Buffer.allocUnsafeSlow(oneBufferBytes);
      free = null;
      return next;
    },
    callback: (bytes, buffer) => {
      const shouldContinue = socket().push(buffer.subarray(0, bytes));
      // What nobody has read yet still lies in there.
      if (socket().readableLength === 0) free = buffer;
      return shouldContinue;
    },
  };
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
