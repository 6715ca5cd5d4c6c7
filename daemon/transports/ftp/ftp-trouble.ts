import { FTPError } from 'basic-ftp';
import { isVencError, VencError } from '../../../src/shared/errors.js';
import type { Direction } from '../../transfer/map-disk-error.js';
import { classOf, connectionTrouble, type FaultKind, type Trouble } from '../../transfer/transfer-error.js';
import type { RemotePlace } from '../file-server/file-server.js';

type Row = readonly [kind: Trouble['kind'], fault: FaultKind, predicate: string];

const noRoom = /no space|quota|disk (is )?full|exceed|insufficient|allocation/i;
const notWritten = /writing to local file|write (error|failed)/i;
const isBadName = /name too long|is a directory|not a (directory|plain file|regular file)|file exists/i;
const wantsTls = /\b(tls|ssl|encrypt\w*|secure)\b/i;
const tooMany = /too many|maximum|limit|busy/i;

const badLogin: Row = ['final', 'login', 'did not accept the user name or the password'];
const unable: Row = ['final', 'failure', 'cannot do what it was asked for'];
const full: Row = ['final', 'failure', 'has no room left for the file'];

/** Answers that mean the same whatever was asked. */
const byCode: Readonly<Record<number, Row>> = {
  331: badLogin,
  332: badLogin,
  421: ['passing', 'failure', 'has no time for another connection now'],
  425: ['passing', 'failure', 'could not open a data connection'],
  426: ['passing', 'failure', 'broke off the transfer'],
  430: badLogin,
  450: ['passing', 'failure', 'cannot use the file now'],
  452: full,
  522: ['final', 'failure', 'refused to protect a data connection'],
  530: badLogin,
  532: badLogin,
  552: full,
};

/** Whether a refusal says that there is nothing. */
export function saysMissing(message: string): boolean {
  return /no such|not found|does ?n[o']t exist|nonexist|can(no|')t find|unknown file/i.test(message);
}

/** Whether a refusal says that it is for want of permission. */
export function saysDenied(message: string): boolean {
  return /permission|denied|not allowed|not permitted|forbidden|privilege|read-?only|access/i.test(message);
}

/**
 * What an error of a session means. What servers say is read, as most have few codes for many reasons, and never repeated: some say what
 * was typed.
 */
export function ftpTrouble(error: unknown, direction: Direction, place: RemotePlace): Trouble {
  if (isVencError(error) || !(error instanceof FTPError))
    return connectionTrouble(error, place.name, direction);
  const [kind, fault, predicate] = rowOf(error, direction);
  const message = `${place.name} ${predicate} (${error.code}).`;
  return { kind, error: new VencError(classOf(fault, direction), message), retryAfterMs: null };
}

/** A refusal to let us at a path. */
export function deniedError(direction: Direction, place: RemotePlace): VencError {
  const deed = direction === 'download' ? 'read' : 'write';
  return new VencError(classOf('denied', direction), `${place.name} does not let us ${deed} ${place.path}.`);
}

function rowOf({ code, message }: FTPError, direction: Direction): Row {
  if (code === 530 && wantsTls.test(message))
    return ['final', 'failure', 'takes encrypted connections alone: use ftps'];
  if (code === 530 && tooMany.test(message)) return ['passing', 'failure', 'has too many guests now'];
  if (direction === 'upload' && code !== 530 && noRoom.test(message)) return full;
  if (direction === 'upload' && notWritten.test(message))
    return ['final', 'failure', 'could not put the file on its disk: most likely there is no room left'];
  const row = byCode[code];
  if (row !== undefined) return row;
  if (code === 550 || code === 553) return pathRow(message, direction);
  if (code >= 500) return unable;
  return ['passing', 'failure', code >= 400 ? 'had trouble of its own' : 'answered what was not asked'];
}

function pathRow(message: string, direction: Direction): Row {
  if (wantsTls.test(message)) return ['final', 'failure', 'takes encrypted connections alone: use ftps'];
  if (isBadName.test(message)) return ['final', 'failure', 'cannot have a file of that name there'];
  if (saysMissing(message)) return ['final', 'missing', 'has no such file or folder'];
  return [
    'final',
    'denied',
    direction === 'download' ? 'does not let us read it' : 'does not let us write it',
  ];
}
