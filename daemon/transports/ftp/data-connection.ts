import { isIP, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, connect, rootCertificates, TLSSocket } from 'node:tls';
import { FTPError } from 'basic-ftp';
import { isVencError } from '../../../src/shared/errors.js';
import { openSocket } from '../../net/open-socket.js';
import type { SocketBuffers } from '../../net/socket-buffers.js';
import type { SsrfGuard } from '../../net/ssrf-guard.js';
import type { ControlConnection } from './control-connection.js';

/** A connection that one file or listing passes on. */
export interface DataConnection {
  readonly socket: Socket;
  /** Settles when it may be written to. */
  readonly ready: Promise<void>;
}

/** What data connections are opened with. */
interface DataOptions {
  readonly guard: SsrfGuard;
  /** What they read into, unless they are encrypted. */
  readonly buffers: SocketBuffers;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Makes what opens data connections, always from this side. They lead to the address of the control connection and nowhere else: an
 * address that the server answers PASV with is not even looked at. That is what makes servers behind address translation work, and
 * what leaves nothing to those that would send us elsewhere. The guard is asked about each all the same.
 */
export function createDataConnector(
  control: ControlConnection,
  { guard, buffers, timeoutMs, signal }: DataOptions,
): () => Promise<DataConnection> {
  let supportsEpsv = true;
  const passivePort = async (): Promise<number> => {
    if (supportsEpsv) {
      const { code, message } = await control.sendCommand('EPSV');
      const port = code === 229 ? Number(/([|!])\1\1(\d{1,5})\1/.exec(message)?.[2]) : Number.NaN;
      if (isPort(port)) return port;
      supportsEpsv = false;
    }
    const reply = await control.sendCommandOrThrow('PASV');
    const [, high, low] = /(?:\d{1,3},){4}(\d{1,3}),(\d{1,3})/.exec(reply.message) ?? [];
    const port = Number(high) * 256 + Number(low);
    if (!isPort(port)) throw new FTPError({ code: 425, message: 'no port' });
    return port;
  };
  return async () => {
    const port = await passivePort();
    const host = control.socket.remoteAddress;
    if (host === undefined) throw new Error('the connection is gone');
    const encrypted = control.socket instanceof TLSSocket ? control.socket : null;
    const target = { host, port, isTls: false, buffers: encrypted === null ? buffers : null };
    const plainSocket = await openSocket(guard, target, timeoutMs, signal);
    if (encrypted === null) return { socket: plainSocket, ready: Promise.resolve() };
    // Many servers take data connections only from whom they know by the session of the first one.
    const session = control.tlsSessionStore ?? encrypted.getSession();
    const { socket, ready } = encrypt(plainSocket, {
      ...control.tlsOptions,
      ...(session === undefined ? {} : { session }),
    });
    // A ticket of TLS 1.3 is good for one connection.
    socket.on('session', (next) => {
      control.tlsSessionStore = next;
    });
    return { socket, ready };
  };
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

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
  // Its waiters receive the error; without one, the rejection must not end the process.
  ready.catch(() => undefined);
  return { socket, ready };
}

/** How long a server has to say why it let go of a data connection. */
const replyGraceMs = 2_000;

/**
 * Has one file or listing passed: sends the command, moves the bytes once the server is ready for them, and waits for its confirmation.
 * Where the data connection breaks, what the server says of it tells more than the break does: "no room left" comes that way.
 */
export async function transferData(
  control: ControlConnection,
  command: string,
  { socket, ready }: DataConnection,
  streamData: (socket: Socket) => Promise<void>,
): Promise<void> {
  const started = latch();
  const completed: Promise<void> = control.handle(command, (reply, task) => {
    if (reply instanceof Error) return task.reject(reply);
    started.open();
    if (reply.code >= 300) task.reject(new Error('the server asked for something'));
    else if (reply.code >= 200) task.resolve(undefined);
  });
  // Bytes of a transfer that was given up would never end.
  completed.catch(() => socket.destroy());
  try {
    await Promise.race([started.opened, completed]);
    try {
      await ready;
      await streamData(socket);
    } catch (error) {
      socket.destroy();
      if (!isVencError(error))
        await Promise.race([completed, sleep(replyGraceMs, undefined, { ref: false })]);
      throw error;
    }
    await completed;
  } finally {
    socket.destroy();
  }
}

function latch(): { readonly opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
