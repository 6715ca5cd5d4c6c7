import type { Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { FTPError } from 'basic-ftp';
import { isVencError } from '../../../src/shared/errors.js';
import { openSocket } from '../../net/open-socket.js';
import type { SocketBuffers } from '../../net/socket-buffers.js';
import type { SsrfGuard } from '../../net/ssrf-guard.js';
import type { ReadPieces } from '../file-server/file-server.js';
import { type ControlConnection, encrypt } from './control-connection.js';

/** A connection for one file or listing. */
export interface DataConnection {
  readonly socket: Socket;
  /** Resolves when the socket may be written to. */
  readonly ready: Promise<void>;
}

/** Options of data connections. */
interface DataOptions {
  readonly guard: SsrfGuard;
  /** Buffers for unencrypted connections to read into. */
  readonly buffers: SocketBuffers;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Returns a function that opens passive data connections. They always connect to the address of the control connection;
 * the address in the PASV reply is ignored. This supports servers behind NAT, and prevents a server from redirecting
 * connections to other hosts. The guard still checks each connection.
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
    // Many servers require data connections to resume the TLS session of the control connection.
    const session = control.tlsSessionStore ?? encrypted.getSession();
    const { socket, ready } = encrypt(plainSocket, {
      ...control.tlsOptions,
      ...(session === undefined ? {} : { session }),
    });
    // A TLS 1.3 ticket is valid for one connection.
    socket.on('session', (next) => {
      control.tlsSessionStore = next;
    });
    return { socket, ready };
  };
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

/** How long to wait for the reply that explains why the server closed a data connection. */
const replyGraceMs = 2_000;

/**
 * Transfers one file or listing: sends the command, streams the data once the server is ready, and waits for the
 * confirmation. If the data connection breaks, the error reply on the control connection takes precedence, because it
 * gives the cause, such as "no space left".
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
    if (reply.code >= 300) task.reject(new Error('the server sent an unexpected reply'));
    else if (reply.code >= 200) task.resolve(undefined);
  });
  // A failed transfer may never close the data connection by itself.
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

/**
 * Writes all pieces to a data connection, each when the system has taken the one before, and ends it. Rejects with the
 * error of the connection, or if it is closed early.
 */
export async function writePieces(socket: Socket, readPieces: ReadPieces): Promise<void> {
  await readPieces(
    (piece) =>
      new Promise((resolve, reject) => {
        socket.write(piece, (error) => {
          if (error) reject(error);
          // Node reports a write that was pending when the socket was destroyed as successful.
          else if (socket.destroyed) reject(socket.errored ?? new Error('the connection was closed'));
          else resolve();
        });
      }),
  );
  socket.end();
  await finished(socket, { readable: false });
}

function latch(): { readonly opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
