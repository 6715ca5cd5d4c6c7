import type { Socket } from 'node:net';
import { systemCode } from '../../../src/shared/util/system-code.js';
import type { Watched } from '../../transfer/with-retry.js';
import type { RemotePlace } from '../file-server/file-server.js';
import { ControlConnection } from './control-connection.js';
import { encrypt, tlsOptionsOf } from './encrypt.js';

/** Whether a server wants to be spoken to over TLS from the first byte; by host and port, as it was found. */
export type TlsHabits = Map<string, boolean>;

/** What is needed to reach a server. */
export interface Reach {
  readonly place: RemotePlace;
  readonly watched: Watched;
  /** Opens a connection in the clear, guarded. */
  readonly open: () => Promise<Socket>;
  /** How long a server may keep silent before it is taken for one that waits for TLS, in milliseconds. */
  readonly silenceMs: number;
  readonly habits: TlsHabits;
  /** Certificates that are trusted beside Node's own. */
  readonly authorities: readonly string[];
}

/** More hosts than any daemon meets between two starts; forgetting them costs a moment each. */
const maxHabits = 1000;

/**
 * Reaches a server and hears its greeting, encrypted where the place demands it. Which of the two ways of TLS a server has, where port
 * and memory don't tell, shows in who speaks first: with explicit TLS the server greets in the clear, with implicit TLS it waits. One
 * that greets late is tried the other way then. Neither way ever ends in the clear.
 */
export async function reach(reachable: Reach): Promise<ControlConnection> {
  const { place, habits } = reachable;
  if (place.isTls !== true) return greeted(reachable, await reachable.open());
  if (place.isImplicitTls !== undefined) return encrypted(reachable, place.isImplicitTls);
  const known = habits.get(place.name);
  const plain = known === undefined ? await reachable.open() : null;
  const isImplicit = plain === null ? known === true : !(await speaksFirst(plain, reachable));
  if (habits.size >= maxHabits) habits.clear();
  habits.set(place.name, isImplicit);
  try {
    return await encrypted(reachable, isImplicit, plain);
  } catch (error) {
    habits.delete(place.name);
    if (!isImplicit || !/^ERR_SSL|^EPROTO$/.test(systemCode(error) ?? '')) throw error;
    const control = await encrypted(reachable, false);
    habits.set(place.name, false);
    return control;
  }
}

async function encrypted(
  reachable: Reach,
  isImplicit: boolean,
  opened: Socket | null = null,
): Promise<ControlConnection> {
  const { place, watched } = reachable;
  const options = tlsOptionsOf(place.host, reachable.authorities);
  const plain = opened ?? (await reachable.open());
  if (isImplicit) {
    const { socket, ready } = encrypt(plain, options);
    await orAborted(ready, socket, watched.signal);
    const control = await greeted(reachable, socket);
    control.tlsOptions = options;
    return control;
  }
  const control = await greeted(reachable, plain);
  try {
    await control.demand('AUTH TLS');
    control.forgetUnfinished();
    const { socket, ready } = encrypt(plain, options);
    await orAborted(ready, socket, watched.signal);
    control.socket = socket;
    control.tlsOptions = options;
    return control;
  } catch (error) {
    control.end();
    plain.destroy();
    throw error;
  }
}

async function greeted({ watched: { signal } }: Reach, socket: Socket): Promise<ControlConnection> {
  const control = new ControlConnection();
  const stop = () => control.end();
  control.socket = socket;
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    await control.greeting();
    return control;
  } catch (error) {
    control.end();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function orAborted(ready: Promise<void>, socket: Socket, signal: AbortSignal): Promise<void> {
  const stop = () => socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    await ready;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Whether something comes before we have said anything. Nothing of it is taken from the socket. */
function speaksFirst(socket: Socket, { silenceMs, watched: { signal } }: Reach): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (speaks: boolean) => () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      socket.off('readable', spoke).off('close', closed);
      resolve(speaks);
    };
    const spoke = settle(true);
    const closed = settle(true);
    const stop = () => socket.destroy();
    const timer = setTimeout(settle(false), silenceMs);
    socket.once('readable', spoke).once('close', closed);
    signal.addEventListener('abort', stop, { once: true });
  });
}
