import { readFile } from 'node:fs/promises';
import type { ConnectConfig } from 'ssh2';
import { VencError } from '../../../src/shared/errors.js';
import type { Direction } from '../../transfer/disk-errors.js';
import { errorClassOf } from '../../transfer/transfer-error.js';
import type { RemoteLocation } from '../file-server/file-server.js';
import type { Services } from '../services.js';

/** How a user is let in, for ssh2. */
export type Login = Pick<
  ConnectConfig,
  'username' | 'password' | 'tryKeyboard' | 'privateKey' | 'passphrase' | 'authHandler'
>;

/**
 * How the user of a URL logs in: with its password where it has one, else with the private key of the configuration. Never by the agent of
 * the user who started the daemon. Where there is neither, the server may let the user in without.
 */
export async function loginOf(
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

/** The private key of the configuration is of no use. What the library says of it may hold parts of it. */
export function privateKeyError(cause: unknown, direction: Direction): VencError {
  const message = 'The private key of the configuration for SFTP could not be read.';
  const hint = 'Check VENC_SFTP_KEY and VENC_SFTP_PASSPHRASE of the daemon, or put a password into the URL.';
  return new VencError(errorClassOf('failure', direction), message, { cause, hint });
}
