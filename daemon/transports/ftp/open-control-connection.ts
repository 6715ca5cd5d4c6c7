import type { Socket } from 'node:net';
import { systemCode } from '../../../src/shared/util/system-code.js';
import type { Watchdog } from '../../transfer/with-retry.js';
import type { RemoteLocation } from '../file-server/file-server.js';
import { ControlConnection } from './control-connection.js';
import { encrypt, tlsOptionsOf } from './data-connection.js';

/** Whether a server wants to be spoken to over TLS from the first byte; by host and port, as it was found. */
export type TlsModeCache = Map<string, boolean>;

/** What is needed to reach a server. */
export interface ControlConnectionOptions {
  readonly location: RemoteLocation;
  readonly watchdog: Watchdog;
  /** Opens a connection in the clear, guarded. */
  readonly openSocket: () => Promise<Socket>;
  /** How long a server may keep silent before it is taken for one that waits for TLS, in milliseconds. */
  readonly serverFirstTimeoutMs: number;
  readonly tlsModes: TlsModeCache;
  /** Certificates that are trusted beside Node's own. */
  readonly authorities: readonly string[];
}

/** More hosts than any daemon meets between two starts; forgetting them costs a moment each. */
const maxCachedTlsModes = 1000;

/**
 * Reaches a server and hears its greeting, encrypted where the place demands it. Which of the two ways of TLS a server has, where port
 * and memory don't tell, shows in who speaks first: with explicit TLS the server greets in the clear, with implicit TLS it waits. One
 * that greets late is tried the other way then. Neither way ever ends in the clear.
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

/** Whether something comes before we have said anything. Nothing of it is taken from the socket. */
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
