import type { Socket } from 'node:net';
import { systemCode } from '../../../src/shared/util/system-code.js';
import type { Watchdog } from '../../transfer/with-retry.js';
import type { RemoteLocation } from '../file-server/file-server.js';
import { ControlConnection } from './control-connection.js';
import { encrypt, tlsOptionsOf } from './data-connection.js';

/** Whether a server uses implicit TLS, by host and port, as detected earlier. */
export type TlsModeCache = Map<string, boolean>;

/** Options of a control connection. */
interface ControlConnectionOptions {
  readonly location: RemoteLocation;
  readonly watchdog: Watchdog;
  /** Opens an unencrypted connection through the guard. */
  readonly openSocket: () => Promise<Socket>;
  /** How long to wait for a greeting before the server is assumed to expect implicit TLS, in milliseconds. */
  readonly serverFirstTimeoutMs: number;
  readonly tlsModes: TlsModeCache;
  /** CA certificates that are trusted in addition to Node's own. */
  readonly authorities: readonly string[];
}

/**
 * More hosts than a daemon usually meets. If the limit is reached, the cache is cleared and the modes are detected
 * again.
 */
const maxCachedTlsModes = 1000;

/**
 * Connects to a server and reads its greeting, with TLS if the URL requires it. If neither the port nor the cache
 * determines the TLS mode, it is detected: with explicit TLS the server sends its greeting first, with implicit TLS it
 * waits for the handshake. If implicit TLS fails because the server greeted late, explicit TLS is tried. There is no
 * fallback to an unencrypted connection.
 */
export async function openControlConnection(target: ControlConnectionOptions): Promise<ControlConnection> {
  const { location, tlsModes } = target;
  if (location.isTls !== true) return awaitGreeting(target, await target.openSocket());
  if (location.isImplicitTls !== undefined) return openEncrypted(target, location.isImplicitTls);
  const cachedMode = tlsModes.get(location.name);
  const plainSocket = cachedMode === undefined ? await target.openSocket() : null;
  const isImplicit = plainSocket === null ? cachedMode === true : !(await isServerFirst(plainSocket, target));
  if (tlsModes.size >= maxCachedTlsModes) tlsModes.clear();
  tlsModes.set(location.name, isImplicit);
  try {
    return await openEncrypted(target, isImplicit, plainSocket);
  } catch (error) {
    tlsModes.delete(location.name);
    if (!isImplicit || !/^ERR_SSL|^EPROTO$/.test(systemCode(error) ?? '')) throw error;
    const control = await openEncrypted(target, false);
    tlsModes.set(location.name, false);
    return control;
  }
}

async function openEncrypted(
  target: ControlConnectionOptions,
  isImplicit: boolean,
  openedSocket: Socket | null = null,
): Promise<ControlConnection> {
  const { location, watchdog } = target;
  const options = tlsOptionsOf(location.host, target.authorities);
  const plainSocket = openedSocket ?? (await target.openSocket());
  if (isImplicit) {
    const { socket, ready } = encrypt(plainSocket, options);
    await awaitReady(ready, socket, watchdog.signal);
    const control = await awaitGreeting(target, socket);
    control.tlsOptions = options;
    return control;
  }
  const control = await awaitGreeting(target, plainSocket);
  try {
    await control.sendCommandOrThrow('AUTH TLS');
    control.discardPartialReply();
    const { socket, ready } = encrypt(plainSocket, options);
    await awaitReady(ready, socket, watchdog.signal);
    control.socket = socket;
    control.tlsOptions = options;
    return control;
  } catch (error) {
    control.end();
    plainSocket.destroy();
    throw error;
  }
}

async function awaitGreeting(
  { watchdog: { signal } }: ControlConnectionOptions,
  socket: Socket,
): Promise<ControlConnection> {
  const control = new ControlConnection();
  const onAbort = () => control.end();
  control.socket = socket;
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    await control.readGreeting();
    return control;
  } catch (error) {
    control.end();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function awaitReady(ready: Promise<void>, socket: Socket, signal: AbortSignal): Promise<void> {
  const onAbort = () => socket.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    await ready;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Whether the server sends data first. The data stays in the socket. */
function isServerFirst(
  socket: Socket,
  { serverFirstTimeoutMs, watchdog: { signal } }: ControlConnectionOptions,
): Promise<boolean> {
  return new Promise((resolve) => {
    const settleAs = (isFirst: boolean) => () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.off('readable', onReadable).off('close', onClose);
      resolve(isFirst);
    };
    const onReadable = settleAs(true);
    const onClose = settleAs(true);
    const onAbort = () => socket.destroy();
    const timer = setTimeout(settleAs(false), serverFirstTimeoutMs);
    socket.once('readable', onReadable).once('close', onClose);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
