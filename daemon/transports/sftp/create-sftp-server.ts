import { readFile } from 'node:fs/promises';
import type { ConnectConfig, Stats } from 'ssh2';
import type SftpClient from 'ssh2-sftp-client';
import { VencError } from '../../../src/shared/errors.js';
import { openSocket } from '../../net/open-socket.js';
import type { Direction } from '../../transfer/disk-errors.js';
import { errorClassOf } from '../../transfer/transfer-error.js';
import { connectTimeoutOf, type RemoteOptions, type Watchdog } from '../../transfer/with-retry.js';
import type { FileServer, FileSession, RemoteLocation } from '../file-server/file-server.js';
import type { Services } from '../services.js';
import { createHostKeys, type HostKeyPaths, type HostKeys, knownHostName } from './host-keys.js';
import { mapSftpError, statusCode } from './map-sftp-error.js';
import {
  maxUnconfirmedBytes,
  openSftpChannel,
  readAhead,
  type SftpChannel,
  writeBehind,
} from './sftp-channel.js';

/** Options of SFTP connections. */
interface SftpServerOptions extends RemoteOptions {
  /** Private key for URLs without a password. */
  readonly key: Services['sftp'];
  readonly hostKeys: HostKeyPaths;
}

/** Signature algorithms of RSA keys. Other key types have one each. */
const rsa = ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'] as const;
const hostKeyAlgorithms = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  ...rsa,
] as const;

/**
 * Creates the file server for SFTP, with ssh2. Its default ciphers are used: AES-GCM first, which Node runs at several
 * hundred MB/s.
 */
export async function createSftpServer(options: SftpServerOptions): Promise<FileServer> {
  const { default: Client } = await import('ssh2-sftp-client');
  const hostKeys = createHostKeys(options.hostKeys);
  return {
    mapError: mapSftpError,
    unconfirmedBytes: maxUnconfirmedBytes,
    connect: (location, watchdog, direction) =>
      connect(new Client('venc', silentHandlers), location, watchdog, direction, hostKeys, options),
  };
}

/** Without handlers the library prints events to the terminal. */
const silentHandlers = { error: () => undefined, end: () => undefined, close: () => undefined };

async function connect(
  client: SftpClient,
  location: RemoteLocation,
  watchdog: Watchdog,
  direction: Direction,
  hostKeys: HostKeys,
  options: SftpServerOptions,
): Promise<FileSession> {
  const { host, port, name } = location;
  const login = await loginOf(location, options.key, direction);
  const knownHost = knownHostName(host, port);
  const knownKeyTypes = await hostKeys.knownKeyTypes(knownHost).catch((error: unknown) => {
    throw untrustedHostError(hostKeyStoreError, error, direction);
  });
  const target = { host, port, isTls: false, readsInTurn: true };
  const socket = await openSocket(options.guard, target, connectTimeoutOf(options), watchdog.signal);
  const close = () => socket.destroy();
  watchdog.signal.addEventListener('abort', close, { once: true });
  // The first error is more precise than the error that the library throws.
  let firstError: unknown = null;
  let isLoggedIn = false;
  client.on('error', (error: unknown) => {
    firstError ??= error;
  });
  client.on('ready', () => {
    isLoggedIn = true;
    watchdog.reportActivity();
  });
  client.on('keyboard-interactive', (_name, _how, _language, prompts: unknown[], callback) =>
    callback(prompts.map(() => login.password ?? '')),
  );
  try {
    watchdog.signal.throwIfAborted();
    const sftp = await client.connect({
      sock: socket,
      ...login,
      readyTimeout: 0,
      algorithms: { serverHostKey: hostKeyAlgorithms.toSorted(compareByKnown(knownKeyTypes)) },
      hostVerifier: (key: Buffer, callback: (isTrusted: boolean) => void) => {
        hostKeys
          .verify(knownHost, key)
          .catch((error: unknown) => {
            firstError = error;
            return hostKeyStoreError;
          })
          .then((rejection) => {
            if (rejection !== null) firstError = untrustedHostError(rejection, firstError, direction);
            callback(rejection === null);
          });
      },
    });
    return createSftpSession({ channel: openSftpChannel(sftp, socket), watchdog, direction, name, close });
  } catch (error) {
    close();
    if (isLoggedIn && firstError === null && !watchdog.signal.aborted)
      throw new VencError(errorClassOf('failure', direction), `${name} does not offer SFTP.`, {
        cause: error,
      });
    if (firstError === null && /privateKey/.test(String(error))) throw privateKeyError(error, direction);
    throw firstError ?? error;
  } finally {
    watchdog.signal.removeEventListener('abort', close);
  }
}

const hostKeyStoreError = 'The file of known host keys in the data folder could not be used';

function untrustedHostError(rejection: string, cause: unknown, direction: Direction): VencError {
  return new VencError(errorClassOf('failure', direction), `${rejection}.`, { cause });
}

/** Orders known key types first, so that the host presents a known key. */
function compareByKnown(knownKeyTypes: readonly string[]): (a: string, b: string) => number {
  const rank = (algorithm: string) =>
    knownKeyTypes.includes(rsa.some((name) => name === algorithm) ? 'ssh-rsa' : algorithm) ? 0 : 1;
  return (a, b) => rank(a) - rank(b);
}

/** The login options for ssh2. */
type Login = Pick<
  ConnectConfig,
  'username' | 'password' | 'tryKeyboard' | 'privateKey' | 'passphrase' | 'authHandler'
>;

/**
 * The login of a URL: with its password if it has one, else with the configured private key. Without either, the `none`
 * method is tried. The SSH agent of the user who started the daemon is never used.
 */
async function loginOf(
  { credentials }: RemoteLocation,
  { key, passphrase }: Services['sftp'],
  direction: Direction,
): Promise<Login> {
  const username = credentials?.user ?? '';
  const password = credentials?.password ?? '';
  if (password !== '')
    return { username, password, tryKeyboard: true, authHandler: ['password', 'keyboard-interactive'] };
  if (key === null) return { username, authHandler: ['none'] };
  const isText = /PRIVATE KEY-|^PuTTY-User-Key/.test(key);
  const privateKey = isText
    ? key
    : await readFile(key, 'utf8').catch((error: unknown) => {
        throw privateKeyError(error, direction);
      });
  return { username, privateKey, ...(passphrase === null ? {} : { passphrase }), authHandler: ['publickey'] };
}

/** The error for an unusable private key. It omits the message of the library, which may contain parts of the key. */
function privateKeyError(cause: unknown, direction: Direction): VencError {
  const message = 'The configured private key for SFTP could not be read.';
  const hint = 'Check VENC_SFTP_KEY and VENC_SFTP_PASSPHRASE of the daemon, or put a password into the URL.';
  return new VencError(errorClassOf('failure', direction), message, { cause, hint });
}

/** Options of an SFTP session. */
interface SftpSessionOptions {
  readonly channel: SftpChannel;
  readonly watchdog: Watchdog;
  readonly direction: Direction;
  /** Host with its port. */
  readonly name: string;
  readonly close: () => void;
}

/** Creates a session with an SFTP server, with pipelined reads and writes. */
function createSftpSession({ channel, watchdog, direction, name, close }: SftpSessionOptions): FileSession {
  const statOrNull = async (path: string): Promise<Stats | null> => {
    try {
      return await channel.call<Stats>((sftp, callback) => sftp.stat(path, callback));
    } catch (error) {
      if (statusCode(error) === 'missing') return null;
      throw error;
    }
  };
  const rejectFolder = async (path: string): Promise<void> => {
    if ((await statOrNull(path))?.isDirectory() === true)
      throw new VencError(errorClassOf('failure', direction), `${path} on ${name} is a folder, not a file.`);
  };
  const rename = (from: string, to: string) =>
    channel.callVoid((sftp, callback) => sftp.rename(from, to, callback));
  const unlink = (path: string) => channel.callVoid((sftp, callback) => sftp.unlink(path, callback));

  return {
    async stat(path) {
      const stats = await statOrNull(path);
      if (stats === null) return null;
      return {
        sizeBytes: stats.size ?? null,
        version: stats.mtime === undefined ? null : String(stats.mtime),
      };
    },

    async read(path, fromByte, onChunks) {
      const handle = await channel
        .call<Buffer>((sftp, callback) => sftp.open(path, 'r', callback))
        .catch(async (error) => {
          await rejectFolder(path);
          throw error;
        });
      const stats = await channel.call<Stats>((sftp, callback) => sftp.fstat(handle, callback));
      if (stats.isDirectory()) await rejectFolder(path);
      await readAhead(channel, handle, { fromByte, sizeBytes: stats.size }, onChunks);
    },

    async write(path, fromByte, readPieces) {
      // `w` truncates the file, `r+` keeps its content.
      const flags = fromByte === 0 ? 'w' : 'r+';
      try {
        const handle = await channel.call<Buffer>((sftp, callback) => sftp.open(path, flags, callback));
        await writeBehind(channel, handle, { fromByte, readPieces, onConfirmed: watchdog.reportActivity });
        await channel.callVoid((sftp, callback) => sftp.close(handle, callback));
      } catch (error) {
        if (statusCode(error) === 'failure' && (await isFull(channel, path)))
          throw new VencError('UploadFailureError', `There is no space left on ${name}.`, { cause: error });
        throw error;
      }
    },

    async rename(from, to) {
      try {
        await channel.callVoid((sftp, callback) => sftp.ext_openssh_rename(from, to, callback));
      } catch (error) {
        if (statusCode(error) !== null && statusCode(error) !== 'unsupported') {
          await rejectFolder(to);
          throw error;
        }
        // The standard rename does not replace an existing file, so that must be removed first.
        await rename(from, to).catch(async (reason: unknown) => {
          const existing = await statOrNull(to);
          if (existing === null) throw reason;
          await rejectFolder(to);
          await unlink(to);
          await rename(from, to);
        });
      }
    },

    async remove(path) {
      await unlink(path).catch((error: unknown) => {
        if (statusCode(error) !== 'missing') throw error;
      });
    },

    async makeFolder(path) {
      try {
        await channel.callVoid((sftp, callback) => sftp.mkdir(path, callback));
        return true;
      } catch (error) {
        // Servers return different errors if the folder exists.
        if ((await statOrNull(path).catch(() => null))?.isDirectory() === true) return false;
        throw error;
      }
    },

    removeFolder: (path) => channel.callVoid((sftp, callback) => sftp.rmdir(path, callback)),

    close,
  };
}

/** Below this the volume counts as full, because file systems reserve some blocks. */
const fullVolumeThresholdBytes = 1 << 20;

/** Whether the volume of a file is full; false if the server does not report it. */
async function isFull(channel: SftpChannel, path: string): Promise<boolean> {
  try {
    const volume = await channel.call<unknown>((sftp, callback) => sftp.ext_openssh_statvfs(path, callback));
    if (typeof volume !== 'object' || volume === null) return false;
    if (!('f_bavail' in volume) || !('f_frsize' in volume)) return false;
    return Number(volume.f_bavail) * Number(volume.f_frsize) < fullVolumeThresholdBytes;
  } catch {
    return false;
  }
}
