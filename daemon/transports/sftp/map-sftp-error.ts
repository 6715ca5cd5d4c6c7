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

/** What a server answered, in the words of the protocol. */
export type SftpStatus = 'missing' | 'denied' | 'failure' | 'unusable' | 'unsupported';

const statuses: Readonly<Record<number, SftpStatus>> = {
  2: 'missing',
  3: 'denied',
  4: 'failure',
  5: 'unusable',
  8: 'unsupported',
  // Those of later versions of the protocol, which some servers send all the same.
  10: 'missing',
  11: 'failure',
  12: 'denied',
  14: 'failure',
  15: 'failure',
};

/** What the server answered; null where the error is none of its answers. */
export function statusCode(error: unknown): SftpStatus | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'number' ? (statuses[code] ?? 'failure') : null;
}

const statusMessages: Readonly<Record<SftpStatus, readonly [FailureKind, string]>> = {
  missing: ['missing', 'finds no such file or folder'],
  denied: ['denied', 'does not permit it'],
  failure: ['failure', 'could not do it'],
  unusable: ['failure', 'takes no such name'],
  unsupported: ['failure', 'does not know how to do it'],
};

/** What an error of a session means. */
export function mapSftpError(
  error: unknown,
  direction: Direction,
  { name, path }: RemoteLocation,
): TransferError {
  if (isVencError(error)) return { kind: 'permanent', error, retryAfterMs: null };
  const level = error instanceof Error && 'level' in error ? error.level : null;
  if (level === 'client-authentication') {
    const message = `${name} does not let this user in with these credentials.`;
    return permanentError(errorClassOf('login', direction), message, error);
  }
  if (level === 'handshake' || level === 'protocol' || level === 'sftp-protocol')
    return permanentError(
      errorClassOf('failure', direction),
      `${name} does not speak SSH as it should.`,
      error,
    );
  const status = level === null ? statusCode(error) : null;
  if (status === null) return mapConnectionError(error, name, direction);
  const isTooLong = status === 'unusable' && direction === 'download';
  const [kind, predicate] = statusMessages[isTooLong ? 'missing' : status];
  return permanentError(errorClassOf(kind, direction), `${name} ${predicate} (${path}).`, error);
}
