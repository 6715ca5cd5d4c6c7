import { isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect, rootCertificates, type TLSSocket } from 'node:tls';
import { FTPContext, FTPError, type FTPResponse } from 'basic-ftp';
import { inScope } from '../../../src/shared/util/error-scope.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import type { Credentials } from '../../transfer/remote-url.js';
import { closeOnAbort, type Watchdog } from '../../transfer/with-retry.js';
import type { RemoteLocation } from '../file-server/file-server.js';

/** Maximum length of a reply line, in characters. */
const maxLineLength = 1 << 16;

/**
 * An FTP control connection. It passes replies to the library as whole lines, because the library loses replies that
 * are split across packets.
 */
export class ControlConnection extends FTPContext {
  #partialLine = '';
  #isGreeted = false;

  /** Closes the connection, and rejects pending commands. */
  end(): void {
    this.closeWithError(new Error('the connection was closed'));
  }

  /** Discards buffered plaintext when TLS starts, so that it cannot be taken for a reply. */
  discardPartialReply(): void {
    this.#partialLine = '';
  }

  /** Waits for the greeting of the server. */
  async readGreeting(): Promise<void> {
    await this.#reply(undefined);
  }

  /**
   * Sends a command. Resolves to the reply, including error replies. Rejects if the connection is lost, or the server
   * closes it (421).
   */
  async sendCommand(command: string): Promise<FTPResponse> {
    try {
      return await this.#reply(command);
    } catch (error) {
      if (error instanceof FTPError && error.code !== 421)
        return { code: error.code, message: error.message };
      throw error;
    }
  }

  /** Sends a command. Resolves to the reply. Rejects with an `FTPError` for an error reply. */
  async sendCommandOrThrow(command: string): Promise<FTPResponse> {
    const reply = await this.#reply(command);
    if (reply.code >= 300) throw new FTPError(reply);
    return reply;
  }

  protected override _onControlSocketData(chunk: string): void {
    const text = this.#partialLine + chunk;
    const end = text.lastIndexOf('\n') + 1;
    this.#partialLine = text.slice(end);
    if (this.#partialLine.length > maxLineLength) {
      this.closeWithError(new Error('a reply line is too long'));
      return;
    }
    if (end === 0) return;
    if (!this.#isGreeted && !/^\s*\d{3}[ \-\r\n]/.test(text)) {
      this.closeWithError(new Error('the server does not speak FTP'));
      return;
    }
    this.#isGreeted = true;
    super._onControlSocketData(text.slice(0, end));
  }

  #reply(command: string | undefined): Promise<FTPResponse> {
    return this.handle(command, (reply, task) => {
      if (reply instanceof Error) task.reject(reply);
      // A code below 200 is a preliminary reply.
      else if (reply.code >= 200) task.resolve(reply);
    });
  }
}

/** What a server supports, as far as transfers need it. */
export interface ServerCapabilities {
  /** Features of the FEAT reply, in upper case. */
  readonly features: ReadonlySet<string>;
  /** Initial folder of the user; null if the server does not report it as an absolute path. */
  readonly home: string | null;
}

const anonymous: Credentials = { user: 'anonymous', password: 'anonymous@' };

/**
 * Logs in (as `anonymous` without credentials) and configures the session. Rejects with an `FTPError` for an error
 * reply.
 */
export async function logIn(
  control: ControlConnection,
  credentials: Credentials | null,
): Promise<ServerCapabilities> {
  // Most servers expect this after the login. Some need it before, for user names with non-ASCII characters.
  await control.sendCommand('OPTS UTF8 ON');
  const { user, password } = credentials ?? anonymous;
  const reply = await control.sendCommand(`USER ${user}`);
  if (reply.code === 331) await control.sendCommandOrThrow(`PASS ${password}`);
  else if (reply.code >= 300) throw new FTPError(reply);
  if (control.hasTLS) {
    await control.sendCommand('PBSZ 0');
    // Never transfer unencrypted data over ftps.
    await control.sendCommandOrThrow('PROT P');
  }
  await control.sendCommandOrThrow('TYPE I');
  const features = featuresOf((await control.sendCommand('FEAT')).message);
  if (features.has('UTF8')) await control.sendCommand('OPTS UTF8 ON');
  if (features.has('MLST')) await control.sendCommand('OPTS MLST type;size;modify;unique;');
  return { features, home: homeOf((await control.sendCommand('PWD')).message) };
}

function featuresOf(message: string): ReadonlySet<string> {
  const lines = message.split('\n').slice(1, -1);
  return new Set(lines.map((line) => line.trim().split(' ')[0]?.toUpperCase() ?? ''));
}

/** Parses the PWD reply, which doubles quotation marks in the path. */
function homeOf(message: string): string | null {
  const path = /"((?:[^"]|"")*)"/.exec(message)?.[1]?.replaceAll('""', '"');
  return path?.startsWith('/') === true ? path : null;
}

/** Options of a control connection. */
interface ControlConnectionOptions {
  readonly location: RemoteLocation;
  readonly watchdog: Watchdog;
  /** Opens an unencrypted connection through the guard. */
  readonly openSocket: () => Promise<Socket>;
  /** How long to wait for a greeting before the server is assumed to expect implicit TLS, in milliseconds. */
  readonly serverFirstTimeoutMs: number;
  /** Whether a server uses implicit TLS, by host and port, as detected earlier. */
  readonly tlsModes: Map<string, boolean>;
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
  control.socket = socket;
  try {
    await closeOnAbort(
      signal,
      () => control.end(),
      () => control.readGreeting(),
    );
    return control;
  } catch (error) {
    control.end();
    throw error;
  }
}

async function awaitReady(ready: Promise<void>, socket: Socket, signal: AbortSignal): Promise<void> {
  try {
    await closeOnAbort(
      signal,
      () => socket.destroy(),
      () => ready,
    );
  } catch (error) {
    socket.destroy();
    throw error;
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
    const timer = setTimeout(inScope(settleAs(false)), serverFirstTimeoutMs);
    socket.once('readable', onReadable).once('close', onClose);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * The TLS options for a host. The certificate and its host name are verified. Data connections use the host name of the
 * control connection, because a resumed session is bound to it.
 */
function tlsOptionsOf(host: string, authorities: readonly string[] = []): ConnectionOptions {
  const ca = authorities.length === 0 ? {} : { ca: [...rootCertificates, ...authorities] };
  return { host, servername: isIP(host) === 0 ? host : '', ...ca };
}

/** A socket during its TLS handshake. */
interface Encrypted {
  readonly socket: TLSSocket;
  /** Resolves when the handshake is complete. */
  readonly ready: Promise<void>;
}

/** Starts TLS on an open connection. */
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
