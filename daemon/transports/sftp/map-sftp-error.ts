import { isVencError } from '../../../src/shared/errors.js';
import type { Direction } from '../../transfer/disk-errors.js';
import {
  errorClassOf,
  type FailureKind,
  mapConnectionError,
  permanentError,
  type TransferError,
} from '../../transfer/transfer-error.js';
import type { RemoteLocation } from '../file-server/file-server.js';

/** The status of an SFTP response. */
type SftpStatus = 'missing' | 'denied' | 'failure' | 'unusable' | 'unsupported';

const statuses: Readonly<Record<number, SftpStatus>> = {
  2: 'missing',
  3: 'denied',
  4: 'failure',
  5: 'unusable',
  8: 'unsupported',
  // Codes of later protocol versions, which some servers send anyway.
  10: 'missing',
  11: 'failure',
  12: 'denied',
  14: 'failure',
  15: 'failure',
};

/** The status of an error response; null for any other error. */
export function statusCode(error: unknown): SftpStatus | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'number' ? (statuses[code] ?? 'failure') : null;
}

const statusMessages: Readonly<Record<SftpStatus, readonly [FailureKind, string]>> = {
  missing: ['missing', 'has no such file or folder'],
  denied: ['denied', 'denies access'],
  failure: ['failure', 'reported a failure'],
  unusable: ['failure', 'does not accept the name'],
  unsupported: ['failure', 'does not support the operation'],
};

/**
 * What ssh2 reports if the first line of the server is not that of an SSH server, or if it closes the connection after
 * such a line.
 */
const noSshMessages: readonly string[] = [
  'Invalid identification string',
  'Connection lost before handshake',
];

/** Maps an error of a session. */
export function mapSftpError(
  error: unknown,
  direction: Direction,
  { name, path }: RemoteLocation,
): TransferError {
  if (isVencError(error)) return { kind: 'permanent', error, retryAfterMs: null };
  const level = error instanceof Error && 'level' in error ? error.level : null;
  if (level === 'client-authentication') {
    const message = `${name} does not accept the user and these credentials.`;
    return permanentError(errorClassOf('login', direction), message, error);
  }
  if (error instanceof Error && noSshMessages.includes(error.message)) {
    const message = `${name} did not answer as an SSH server.`;
    return permanentError(errorClassOf('failure', direction), message, error);
  }
  if (level === 'handshake' || level === 'protocol' || level === 'sftp-protocol')
    return permanentError(errorClassOf('failure', direction), `${name} violated the SSH protocol.`, error);
  const status = level === null ? statusCode(error) : null;
  if (status === null) return mapConnectionError(error, name, direction);
  const isTooLong = status === 'unusable' && direction === 'download';
  const [kind, predicate] = statusMessages[isTooLong ? 'missing' : status];
  return permanentError(errorClassOf(kind, direction), `${name} ${predicate} (${path}).`, error);
}
