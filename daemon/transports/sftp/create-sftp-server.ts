import { readFile } from 'node:fs/promises';
import type { ConnectConfig } from 'ssh2';
import type SftpClient from 'ssh2-sftp-client';
import { VencError } from '../../../src/shared/errors.js';
import { openSocket } from '../../net/open-socket.js';
import type { Direction } from '../../transfer/disk-errors.js';
import { errorClassOf } from '../../transfer/transfer-error.js';
import { connectTimeoutOf, type RemoteOptions, type Watchdog } from '../../transfer/with-retry.js';
import type { FileServer, FileSession, RemoteLocation } from '../file-server/file-server.js';
import type { Services } from '../services.js';
import { createHostKeys, type HostKeyPaths, type HostKeys } from './host-keys.js';
import { knownHostName } from './known-hosts.js';
import { mapSftpError } from './map-sftp-error.js';
import { maxUnconfirmedBytes } from './pipelined-requests.js';
import { openSftpChannel } from './sftp-channel.js';
import { createSftpSession } from './sftp-session.js';

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
  const target = { host, port, isTls: false };
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
