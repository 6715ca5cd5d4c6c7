import type { ErrorClass } from '../../src/shared/error-classes.js';
import { isVencError, VencError } from '../../src/shared/errors.js';
import { systemCode } from '../../src/shared/util/system-code.js';
import type { Direction } from './disk-errors.js';

/** Why an attempt failed, and whether to retry. */
export interface TransferError {
  /**
   * `permanent`: do not retry; `connect`: could not connect; `transient`: was rejected temporarily, stalled, or broke
   * off.
   */
  readonly kind: 'permanent' | 'connect' | 'transient';
  readonly error: VencError;
  /** Delay that the server requested; null if it requested none. */
  readonly retryAfterMs: number | null;
}

/** Kinds of failures that every remote scheme reports (contract, section 3). */
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

/** The error class of a failure, by the direction of the transfer. */
export function errorClassOf(kind: FailureKind, direction: Direction): ErrorClass {
  return errorClasses[direction][kind];
}

/** A parsed URL. Throws if it is a validation error instead, as a sentence without subject. */
export function requireLocation<Location extends object>(
  location: Location | string,
  direction: Direction,
): Location {
  if (typeof location !== 'string') return location;
  const subject = direction === 'download' ? 'The URL of the input' : 'The destination';
  throw new VencError(errorClassOf('failure', direction), `${subject} ${location}.`);
}

type Row = readonly [kind: TransferError['kind'], failureKind: FailureKind, predicate: string];

const byCode: Readonly<Record<string, Row>> = {
  ENOTFOUND: ['permanent', 'failure', 'could not be reached: its host name does not exist'],
  EAI_AGAIN: ['connect', 'failure', 'could not be resolved: the name servers do not answer'],
  ECONNREFUSED: ['connect', 'failure', 'refused the connection'],
  EHOSTUNREACH: ['connect', 'failure', 'cannot be reached from here'],
  ENETUNREACH: ['connect', 'failure', 'cannot be reached from here'],
  ETIMEDOUT: ['connect', 'timeout', 'did not answer in time'],
};

const badCertificate = /CERT|SELF_SIGNED|UNABLE_TO_|^ERR_TLS/;
/** What OpenSSL reports if the first bytes of a server are not TLS. */
const noTls = /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$|^EPROTO$/;
const badTls = /^ERR_SSL|^EPROTO$/;

/** Whether a connection failed because the server does not speak TLS. */
export function isNotTls(error: unknown): boolean {
  return noTls.test(systemCode(error) ?? '');
}

/** An error that no further attempt can fix. */
export function permanentError(errorClass: ErrorClass, message: string, cause?: unknown): TransferError {
  return { kind: 'permanent', error: new VencError(errorClass, message, { cause }), retryAfterMs: null };
}

/** An error that the next attempt may fix. */
export function transientError(
  errorClass: ErrorClass,
  message: string,
  retryAfterMs: number | null = null,
): TransferError {
  return { kind: 'transient', error: new VencError(errorClass, message), retryAfterMs };
}

/** The delay of a `Retry-After` header, in seconds or as a date; null if there is none or it is invalid. */
export function retryAfterMs(value: string | null | undefined, nowMs: number): number | null {
  if (value == null) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

/** Maps the error of a connection. `host` is a host with its port, without credentials. */
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
    return ['permanent', 'failure', `has a certificate that cannot be verified (${code})`];
  if (noTls.test(code))
    return ['permanent', 'failure', `does not speak TLS (${code}): check whether http: or ftp: was meant`];
  if (badTls.test(code)) return ['permanent', 'failure', `failed the TLS handshake (${code})`];
  return ['transient', 'failure', 'broke off the connection'];
}
