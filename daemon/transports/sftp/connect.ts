import type SftpClient from 'ssh2-sftp-client';
import { VencError } from '../../../src/shared/errors.js';
import { openSocket } from '../../net/open-socket.js';
import type { Direction } from '../../transfer/map-disk-error.js';
import { classOf } from '../../transfer/transfer-error.js';
import { connectTimeoutOf, type RemoteOptions, type Watched } from '../../transfer/with-retry.js';
import type { FileServer, FileSession, RemotePlace } from '../file-server/file-server.js';
import type { Services } from '../services.js';
import { type HostKeyPaths, type HostKeys, openHostKeys } from './host-keys.js';
import { knownHostName } from './known-hosts.js';
import { openLine } from './line.js';
import { keyFault, loginOf } from './login.js';
import { openSession } from './session.js';
import { readSftpUrl } from './sftp-url.js';
import { sftpTrouble } from './trouble.js';
import { unconfirmedBytes } from './write-behind.js';

/** What logins at SFTP servers depend on. */
export interface SftpServerOptions extends RemoteOptions {
  /** For URLs without a password. */
  readonly key: Services['sftp'];
  readonly hostKeys: HostKeyPaths;
}

/** Ways to sign with each kind of key: only RSA has several. */
const rsa = ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'] as const;
const hostKeyAlgorithms = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  ...rsa,
] as const;

/** File servers over SSH, by ssh2. Ciphers are its own: AES-GCM first, which Node does at many hundred megabytes a second. */
export async function sftpServer(options: SftpServerOptions): Promise<FileServer> {
  const { default: Client } = await import('ssh2-sftp-client');
  const hostKeys = openHostKeys(options.hostKeys);
  return {
    read: readSftpUrl,
    trouble: sftpTrouble,
    unsureBytes: unconfirmedBytes,
    connect: (place, watched, direction) =>
      connect(new Client('venc', silent), place, watched, direction, hostKeys, options),
  };
}

/** The library writes to the terminal what nobody else hears. */
const silent = { error: () => undefined, end: () => undefined, close: () => undefined };

async function connect(
  client: SftpClient,
  place: RemotePlace,
  watched: Watched,
  direction: Direction,
  hostKeys: HostKeys,
  options: SftpServerOptions,
): Promise<FileSession> {
  const { host, port, name } = place;
  const login = await loginOf(place, options.key, direction);
  const knownName = knownHostName(host, port);
  const kinds = await hostKeys.kindsOf(knownName).catch((error: unknown) => {
    throw notTrusted(noMemory, error, direction);
  });
  const target = { host, port, isTls: false };
  const socket = await openSocket(options.guard, target, connectTimeoutOf(options), watched.signal);
  const close = () => socket.destroy();
  watched.signal.addEventListener('abort', close, { once: true });
  // Ours says more than the one that the library makes of it.
  let firstError: unknown = null;
  let isLoggedIn = false;
  client.on('error', (error: unknown) => {
    firstError ??= error;
  });
  client.on('ready', () => {
    isLoggedIn = true;
    watched.alive();
  });
  client.on('keyboard-interactive', (_name, _how, _language, prompts: unknown[], answer) =>
    answer(prompts.map(() => login.password ?? '')),
  );
  try {
    watched.signal.throwIfAborted();
    const sftp = await client.connect({
      sock: socket,
      ...login,
      readyTimeout: 0,
      algorithms: { serverHostKey: hostKeyAlgorithms.toSorted(byKnown(kinds)) },
      hostVerifier: (key: Buffer, answer: (isGood: boolean) => void) => {
        hostKeys
          .judge(knownName, key)
          .catch((error: unknown) => {
            firstError = error;
            return noMemory;
          })
          .then((complaint) => {
            if (complaint !== null) firstError = notTrusted(complaint, firstError, direction);
            answer(complaint === null);
          });
      },
    });
    return openSession({ line: openLine(sftp, socket), watched, direction, name, close });
  } catch (error) {
    close();
    if (isLoggedIn && firstError === null && !watched.signal.aborted)
      throw new VencError(classOf('failure', direction), `${name} offers no SFTP.`, { cause: error });
    if (firstError === null && /privateKey/.test(String(error))) throw keyFault(error, direction);
    throw firstError ?? error;
  } finally {
    watched.signal.removeEventListener('abort', close);
  }
}

const noMemory = 'The file of known host keys in the data folder could not be used';

function notTrusted(complaint: string, cause: unknown, direction: Direction): VencError {
  return new VencError(classOf('failure', direction), `${complaint}.`, { cause });
}

/** Kinds that a host is known by come first, so that it does not present another one. */
function byKnown(kinds: readonly string[]): (a: string, b: string) => number {
  const rank = (algorithm: string) =>
    kinds.includes(rsa.some((one) => one === algorithm) ? 'ssh-rsa' : algorithm) ? 0 : 1;
  return (a, b) => rank(a) - rank(b);
}
