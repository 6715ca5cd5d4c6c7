import { FTPError } from 'basic-ftp';
import { isVencError, VencError } from '../../../src/shared/errors.js';
import type { Direction } from '../../transfer/disk-errors.js';
import {
  errorClassOf,
  type FailureKind,
  mapConnectionError,
  type TransferError,
} from '../../transfer/transfer-error.js';
import type { RemoteLocation } from '../file-server/file-server.js';

type Row = readonly [kind: TransferError['kind'], failureKind: FailureKind, predicate: string];

const noSpacePattern = /no space|quota|disk (is )?full|exceed|insufficient|allocation/i;
const writeErrorPattern = /writing to local file|write (error|failed)/i;
const badNamePattern = /name too long|is a directory|not a (directory|plain file|regular file)|file exists/i;
const tlsRequiredPattern = /\b(tls|ssl|encrypt\w*|secure)\b/i;
const tooManyPattern = /too many|maximum|limit|busy/i;

const badLoginRow: Row = ['permanent', 'login', 'did not accept the user name or the password'];
const unsupportedRow: Row = ['permanent', 'failure', 'does not support the operation'];
const noSpaceRow: Row = ['permanent', 'failure', 'has no space left for the file'];

/** Reply codes that mean the same for every command. */
const byCode: Readonly<Record<number, Row>> = {
  331: badLoginRow,
  332: badLoginRow,
  421: ['transient', 'failure', 'accepts no further connections now'],
  425: ['transient', 'failure', 'could not open a data connection'],
  426: ['transient', 'failure', 'broke off the transfer'],
  430: badLoginRow,
  450: ['transient', 'failure', 'cannot use the file now'],
  452: noSpaceRow,
  522: ['permanent', 'failure', 'rejected encryption of the data connection'],
  530: badLoginRow,
  532: badLoginRow,
  552: noSpaceRow,
};

/** Whether an error reply means that the file does not exist. */
export function isMissingMessage(message: string): boolean {
  return /no such|not found|does ?n[o']t exist|nonexist|can(no|')t find|unknown file/i.test(message);
}

/** Whether an error reply means that access is denied. */
export function isDeniedMessage(message: string): boolean {
  return /permission|denied|not allowed|not permitted|forbidden|privilege|read-?only|access/i.test(message);
}

/**
 * Maps an error of a session. Servers use few codes for many causes, so the text of the reply is matched too. It is
 * never shown, because some servers repeat the command, including passwords.
 */
export function mapFtpError(error: unknown, direction: Direction, location: RemoteLocation): TransferError {
  if (isVencError(error) || !(error instanceof FTPError))
    return mapConnectionError(error, location.name, direction);
  const [kind, failureKind, predicate] = rowOf(error, direction);
  const message = `${location.name} ${predicate} (${error.code}).`;
  return { kind, error: new VencError(errorClassOf(failureKind, direction), message), retryAfterMs: null };
}

/** The error for denied access to a path. */
export function deniedError(direction: Direction, location: RemoteLocation): VencError {
  const verb = direction === 'download' ? 'read' : 'write';
  return new VencError(
    errorClassOf('denied', direction),
    `${location.name} denies ${verb} access to ${location.path}.`,
  );
}

function rowOf({ code, message }: FTPError, direction: Direction): Row {
  if (code === 530 && tlsRequiredPattern.test(message))
    return ['permanent', 'failure', 'accepts only encrypted connections: use ftps'];
  if (code === 530 && tooManyPattern.test(message))
    return ['transient', 'failure', 'has too many connections now'];
  if (direction === 'upload' && code !== 530 && noSpacePattern.test(message)) return noSpaceRow;
  if (direction === 'upload' && writeErrorPattern.test(message))
    return ['permanent', 'failure', 'could not write the file to its disk, which may be full'];
  const row = byCode[code];
  if (row !== undefined) return row;
  if (code === 550 || code === 553) return pathRow(message, direction);
  if (code >= 500) return unsupportedRow;
  return ['transient', 'failure', code >= 400 ? 'reported a temporary error' : 'sent an unexpected reply'];
}

function pathRow(message: string, direction: Direction): Row {
  if (tlsRequiredPattern.test(message))
    return ['permanent', 'failure', 'accepts only encrypted connections: use ftps'];
  if (badNamePattern.test(message)) return ['permanent', 'failure', 'cannot store a file with that name'];
  if (isMissingMessage(message)) return ['permanent', 'missing', 'has no such file or folder'];
  return ['permanent', 'denied', direction === 'download' ? 'denies read access' : 'denies write access'];
}
