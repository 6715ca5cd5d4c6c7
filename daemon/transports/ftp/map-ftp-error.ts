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

type Row = readonly [kind: TransferError['kind'], fault: FailureKind, predicate: string];

const noSpacePattern = /no space|quota|disk (is )?full|exceed|insufficient|allocation/i;
const writeErrorPattern = /writing to local file|write (error|failed)/i;
const badNamePattern = /name too long|is a directory|not a (directory|plain file|regular file)|file exists/i;
const tlsRequiredPattern = /\b(tls|ssl|encrypt\w*|secure)\b/i;
const tooManyPattern = /too many|maximum|limit|busy/i;

const badLoginRow: Row = ['permanent', 'login', 'did not accept the user name or the password'];
const unsupportedRow: Row = ['permanent', 'failure', 'cannot do what it was asked for'];
const noSpaceRow: Row = ['permanent', 'failure', 'has no room left for the file'];

/** Answers that mean the same whatever was asked. */
const byCode: Readonly<Record<number, Row>> = {
  331: badLoginRow,
  332: badLoginRow,
  421: ['transient', 'failure', 'has no time for another connection now'],
  425: ['transient', 'failure', 'could not open a data connection'],
  426: ['transient', 'failure', 'broke off the transfer'],
  430: badLoginRow,
  450: ['transient', 'failure', 'cannot use the file now'],
  452: noSpaceRow,
  522: ['permanent', 'failure', 'refused to protect a data connection'],
  530: badLoginRow,
  532: badLoginRow,
  552: noSpaceRow,
};

/** Whether a refusal says that there is nothing. */
export function isMissingMessage(message: string): boolean {
  return /no such|not found|does ?n[o']t exist|nonexist|can(no|')t find|unknown file/i.test(message);
}

/** Whether a refusal says that it is for want of permission. */
export function isDeniedMessage(message: string): boolean {
  return /permission|denied|not allowed|not permitted|forbidden|privilege|read-?only|access/i.test(message);
}

/**
 * What an error of a session means. What servers say is read, as most have few codes for many reasons, and never repeated: some say what
 * was typed.
 */
export function mapFtpError(error: unknown, direction: Direction, location: RemoteLocation): TransferError {
  if (isVencError(error) || !(error instanceof FTPError))
    return mapConnectionError(error, location.name, direction);
  const [kind, failureKind, predicate] = rowOf(error, direction);
  const message = `${location.name} ${predicate} (${error.code}).`;
  return { kind, error: new VencError(errorClassOf(failureKind, direction), message), retryAfterMs: null };
}

/** A refusal to let us at a path. */
export function deniedError(direction: Direction, location: RemoteLocation): VencError {
  const verb = direction === 'download' ? 'read' : 'write';
  return new VencError(
    errorClassOf('denied', direction),
    `${location.name} does not let us ${verb} ${location.path}.`,
  );
}

function rowOf({ code, message }: FTPError, direction: Direction): Row {
  if (code === 530 && tlsRequiredPattern.test(message))
    return ['permanent', 'failure', 'takes encrypted connections alone: use ftps'];
  if (code === 530 && tooManyPattern.test(message))
    return ['transient', 'failure', 'has too many guests now'];
  if (direction === 'upload' && code !== 530 && noSpacePattern.test(message)) return noSpaceRow;
  if (direction === 'upload' && writeErrorPattern.test(message))
    return ['permanent', 'failure', 'could not put the file on its disk: most likely there is no room left'];
  const row = byCode[code];
  if (row !== undefined) return row;
  if (code === 550 || code === 553) return pathRow(message, direction);
  if (code >= 500) return unsupportedRow;
  return ['transient', 'failure', code >= 400 ? 'had trouble of its own' : 'answered what was not asked'];
}

function pathRow(message: string, direction: Direction): Row {
  if (tlsRequiredPattern.test(message))
    return ['permanent', 'failure', 'takes encrypted connections alone: use ftps'];
  if (badNamePattern.test(message)) return ['permanent', 'failure', 'cannot have a file of that name there'];
  if (isMissingMessage(message)) return ['permanent', 'missing', 'has no such file or folder'];
  return [
    'permanent',
    'denied',
    direction === 'download' ? 'does not let us read it' : 'does not let us write it',
  ];
}
