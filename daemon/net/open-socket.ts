import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net';
import { connect, connect as connectTls } from 'node:tls';
import { inScope } from '../../src/shared/util/error-scope.js';
import type { SocketBuffers } from './socket-buffers.js';
import type { SsrfGuard } from './ssrf-guard.js';

/** What a reader that copies the data reads into when it has stopped to copy. */
export interface ReaderBuffers {
  /** Null while it copies. */
  buffers: SocketBuffers | null;
}

/** The target of a connection. */
interface SocketTarget {
  /** Host name or address; an IPv6 address has no brackets. */
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** Buffers to read into; Node's own by default, and always for TLS. */
  readonly buffers?: SocketBuffers | null;
  /**
   * Whether the reader of the socket copies the data, as Node's HTTP parser does: then one buffer serves all reads,
   * except with TLS.
   */
  readonly readerCopies?: boolean | ReaderBuffers;
  /**
   * Whether the reader of the socket processes the data at once, as ssh2 does, and keeps only what came in small reads
   * or at the end of a larger one: then two buffers serve all reads, except with TLS.
   */
  readonly readsInTurn?: boolean;
}

/**
 * Milliseconds after which the next address of a host is tried as well. Node's default of 250 ms is too short for
 * distant hosts.
 */
const nextAddressAfterMs = 2_000;

/**
 * Opens a connection after the guard has checked the host, its resolved addresses and the remote address of the socket.
 * Rejects with the error of the system or of the guard; with code `ETIMEDOUT` if DNS lookup, connecting and the TLS
 * handshake together exceed `timeoutMs`; or with the reason of the signal.
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
    const timer = setTimeout(
      inScope(() => socket.destroy(timedOut())),
      timeoutMs,
    );
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
    // Never removed: the socket may fail before the caller adds its own listener.
    socket.on('error', (error) => {
      cleanUp();
      reject(error);
    });
    socket.once('connect', () => {
      try {
        // Before the TLS handshake: a forbidden address must not even receive the server name.
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

/** Returns an error unchanged, and wraps any other thrown value. */
export function asError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}

function readOptions(target: SocketTarget, socket: () => Socket) {
  const { buffers = null, readerCopies = false, readsInTurn = false } = target;
  if (buffers !== null) return { onread: readInto(buffers, socket) };
  if (readsInTurn) return { onread: readIntoTwo(socket) };
  if (readerCopies === false) return {};
  return { onread: readIntoOne(socket, readerCopies === true ? { buffers: null } : readerCopies) };
}

/**
 * 256 KiB: the amount that the system returns per read on a fast connection. Pages that are never written use no
 * memory.
 */
const oneBufferBytes = 1 << 18;

/** Reads into one reused buffer. By default Node allocates a buffer of 64 KiB for each read, which takes 50% longer. */
function readIntoOne(socket: () => Socket, reader: ReaderBuffers): OnReadOpts {
  let free: Uint8Array | null = null;
  /** Where the bytes of the next read are from; null for the reused buffer. */
  let source: SocketBuffers | null = null;
  return {
    buffer: () => {
      source = reader.buffers;
      if (source !== null) return source.next();
      const next = free ?? Buffer.allocUnsafeSlow(oneBufferBytes);
      free = null;
      return next;
    },
    callback: (bytes, buffer) => {
      if (source !== null) return socket().push(source.read(buffer, bytes));
      const shouldContinue = socket().push(buffer.subarray(0, bytes));
      // Reuse the buffer only when all of its data has been read.
      if (socket().readableLength === 0) free = buffer;
      return shouldContinue;
    },
  };
}

/** A message of which a reader keeps a part is smaller, and so is all that follows until it is processed. */
const smallReadBytes = 1 << 12;

/**
 * Reads into two buffers in turn, and copies small reads. The part of a message that a reader keeps is then not
 * overwritten: a small one is a copy, and the buffer that ends with one is used again only after another large read.
 */
function readIntoTwo(socket: () => Socket): OnReadOpts {
  let [next, other] = [oneBufferBytes, oneBufferBytes].map((bytes) => Buffer.allocUnsafeSlow(bytes));
  const buffer = () => {
    next ??= Buffer.allocUnsafeSlow(oneBufferBytes);
    return next;
  };
  return {
    buffer,
    callback: (bytes) => {
      const read = buffer().subarray(0, bytes);
      if (bytes < smallReadBytes) return socket().push(Buffer.from(read));
      const shouldContinue = socket().push(read);
      // A reader that waits still needs the bytes.
      const free = socket().readableLength === 0 ? next : undefined;
      [next, other] = [other, free];
      return shouldContinue;
    },
  };
}

/** Pushes received data to the socket as Node does, but reads into the given buffers. */
function readInto(buffers: SocketBuffers, socket: () => Socket): OnReadOpts {
  return {
    buffer: () => buffers.next(),
    callback: (bytes, buffer) => socket().push(buffers.read(buffer, bytes)),
  };
}

function timedOut(): Error {
  return Object.assign(new Error('the connection took too long'), { code: 'ETIMEDOUT' });
}

/** How long the handshake may take, in milliseconds. */
const timeoutMs = 3_000;

/**
 * Whether the server at the host and port of a URL speaks TLS. It is asked after a request over plain HTTP failed: what
 * a TLS server answers to one differs (nothing, an alert, or a page with status 400), and a handshake is certain. No
 * data is sent, so the certificate does not matter.
 */
export function speaksTls({ hostname, port }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port === '' ? '80' : port), rejectUnauthorized: false });
    const settle = (isTls: boolean) => {
      socket.destroy();
      resolve(isTls);
    };
    socket.once('secureConnect', () => settle(true));
    socket.once('error', () => settle(false));
    socket.setTimeout(timeoutMs, () => settle(false));
  });
}
