import type { ErrorClass } from '../../src/shared/error-classes.js';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { systemCode } from '../../src/shared/util/system-code.js';
import type { Direction } from './disk-errors.js';

/** Why one attempt came to nothing, and whether another one makes sense. */
export interface TransferError {
  /** `final`: no; `connect`: no connection came about; `passing`: it was refused for now, stalled, or broke off. */
  readonly kind: 'permanent' | 'connect' | 'transient';
  readonly error: VencError;
  /** How long the server asked to wait; null where it did not. */
  readonly retryAfterMs: number | null;
}

/** What may go wrong on any way to a server, in the words of the contract (section 3). */
export type FailureKind = 'failure' | 'timeout' | 'denied' | 'missing' | 'login';

const errorClasses: Readonly<Record<Direction, Readonly<Record<FailureKind, ErrorClass>>>> = {
  download: {
    failure: 'DownloadFailureError',
    timeout: 'DownloadTimeoutError',
    denied: 'DownloadAccessDeniedError',
    missing: 'FileNotFoundError',
    login: 'InvalidUsernameOrPasswordError',
  },
  upload: {
    failure: 'UploadFailureError',
    timeout: 'UploadTimeoutError',
    denied: 'UploadAccessDeniedError',
    missing: 'FileNotFoundError',
    login: 'InvalidUsernameOrPasswordError',
  },
};

/** The class of error for what went wrong on a file's way in or out. */
export function errorClassOf(kind: FailureKind, direction: Direction): ErrorClass {
  return errorClasses[direction][kind];
}

type Row = readonly [kind: TransferError['kind'], fault: FailureKind, predicate: string];

const byCode: Readonly<Record<string, Row>> = {
  ENOTFOUND: ['permanent', 'failure', 'is not the name of any host'],
  EAI_AGAIN: ['connect', 'failure', 'could not be looked up: the name servers do not answer'],
  ECONNREFUSED: ['connect', 'failure', 'refused the connection'],
  EHOSTUNREACH: ['connect', 'failure', 'cannot be reached from here'],
  ENETUNREACH: ['connect', 'failure', 'cannot be reached from here'],
  ETIMEDOUT: ['connect', 'timeout', 'did not answer in time'],
};

const badCertificate = /CERT|SELF_SIGNED|UNABLE_TO_|^ERR_TLS/;
const badTls = /^ERR_SSL|^EPROTO$/;

/** An error that no further attempt can fix. */
export function permanentError(errorClass: ErrorClass, message: string, cause?: unknown): TransferError {
  return { kind: 'permanent', error: new VencError(errorClass, message, { cause }), retryAfterMs: null };
}

/** A trouble that may be over by the next attempt. */
export function transientError(
  errorClass: ErrorClass,
  message: string,
  retryAfterMs: number | null = null,
): TransferError {
  return { kind: 'transient', error: new VencError(errorClass, message), retryAfterMs };
}

/** What an error of a connection to a host means. `host` is a host with its port, without credentials. */
export function mapConnectionError(error: unknown, host: string, direction: Direction): TransferError {
  if (isVencError(error)) return { kind: 'permanent', error, retryAfterMs: null };
  const [kind, failureKind, predicate] = rowOf(systemCode(error) ?? '');
  const message = `${host} ${predicate}.`;
  return {
    kind,
    error: new VencError(errorClassOf(failureKind, direction), message, { cause: error }),
    retryAfterMs: null,
  };
}

function rowOf(code: string): Row {
  const row = byCode[code];
  if (row !== undefined) return row;
  if (badCertificate.test(code))
    return ['permanent', 'failure', `has a certificate that is not trusted (${code})`];
  if (badTls.test(code)) return ['permanent', 'failure', `does not speak TLS as it should (${code})`];
  return ['transient', 'failure', 'broke off the connection'];
}
