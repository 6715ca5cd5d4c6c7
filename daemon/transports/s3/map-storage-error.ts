import { isVencError, VencError } from '../../../src/shared/errors.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import type { Direction } from '../../transfer/disk-errors.js';
import {
  errorClassOf,
  type FailureKind,
  mapConnectionError,
  permanentError,
  type TransferError,
  transientError,
} from '../../transfer/transfer-error.js';
import type { ObjectLocation } from './object-location.js';

/** What a server of this kind said, as far as it is of use. */
export interface S3ErrorResponse {
  /** Its own word, such as `NoSuchKey`; where it gave none, what the SDK made of the status. */
  readonly code: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The region that the bucket is in, where the server told it. */
  readonly region: string | null;
}

/** Reads what the SDK throws; null where it is no answer of a server. */
export function parseS3Error(error: unknown): S3ErrorResponse | null {
  if (typeof error !== 'object' || error === null || isVencError(error)) return null;
  const { name, $metadata, $response, Region } = error as Partial<Record<string, unknown>>;
  const status = field($metadata, 'httpStatusCode') ?? field($response, 'statusCode');
  if (typeof status !== 'number') return null;
  const headers = Object.fromEntries(
    Object.entries(Object(field($response, 'headers'))).map(([key, value]) => [
      key.toLowerCase(),
      String(value),
    ]),
  );
  const region = headers['x-amz-bucket-region'] ?? (typeof Region === 'string' ? Region : '');
  return {
    code: typeof name === 'string' ? name : '',
    status,
    headers,
    // It becomes a part of a host's name.
    region: /^[a-z0-9-]{1,40}$/.test(region) ? region : null,
  };
}

const credentialErrorCodes: ReadonlySet<string> = new Set([
  'SignatureDoesNotMatch',
  'InvalidAccessKeyId',
  'InvalidToken',
  'ExpiredToken',
  'TokenRefreshRequired',
  'InvalidSecurity',
]);
const quotaErrorCodes: ReadonlySet<string> = new Set([
  'QuotaExceeded',
  'InsufficientStorage',
  'XMinioStorageFull',
]);
const transientErrorCodes: ReadonlySet<string> = new Set([
  'RequestTimeout',
  'SlowDown',
  'InternalError',
  'ServiceUnavailable',
  'OperationAborted',
  'ConditionalRequestConflict',
  'BadDigest',
  'IncompleteBody',
  'XAmzContentSHA256Mismatch',
  'TooManyRequests',
]);
const aclErrorCodes: ReadonlySet<string> = new Set(['AccessControlListNotSupported', 'NotImplemented']);

/** What an error of the SDK, or of a connection, means (contract, section 3). `host` is the server's, with its port. */
export function mapStorageError(
  error: unknown,
  direction: Direction,
  location: ObjectLocation,
  host: string,
): TransferError {
  const errorResponse = parseS3Error(error);
  if (errorResponse === null || errorResponse.status < 300) {
    if (isVencError(error) || systemCode(error) !== null) return mapConnectionError(error, host, direction);
    return transientError(
      errorClassOf('failure', direction),
      `${host} broke off, or answered what could not be understood.`,
    );
  }
  const { code, status, headers } = errorResponse;
  const permanent = (failureKind: FailureKind, message: string): TransferError =>
    permanentError(errorClassOf(failureKind, direction), message);
  const message = `${host} answered for ${location.name} with ${codePrefix(code)}status ${status}`;
  if (code === 'RequestTimeTooSkewed') {
    return permanent(
      'failure',
      `The clock of this machine and that of ${host} are too far apart: set it right.`,
    );
  }
  if (credentialErrorCodes.has(code) || status === 401) {
    if (location.keys !== null)
      return permanent('login', `${host} did not accept the keys for ${location.bucket}.`);
    return permanent('login', `${host} asks for keys for ${location.bucket}, and there are none.`);
  }
  if (code === 'NoSuchBucket')
    return permanent('missing', `There is no bucket ${location.bucket} at ${host}.`);
  if (code === 'NoSuchUpload') return transientError(errorClassOf('failure', direction), `${message}.`);
  if (quotaErrorCodes.has(code) || status === 507 || (status === 413 && direction === 'upload')) {
    return permanent('failure', `There is no room left for ${location.name} at ${host}.`);
  }
  if (aclErrorCodes.has(code)) {
    return permanent(
      'denied',
      `The bucket ${location.bucket} takes no grants: leave out "public" and "access_control", or turn its access control lists on.`,
    );
  }
  if (code === 'UnresolvableGrantByEmailAddress') {
    return permanent('failure', `${host} knows no account by an e-mail address of "access_control".`);
  }
  if (status === 403) {
    const unsignedNote = location.keys === null ? ', which was asked for without keys' : '';
    return permanent('denied', `${host} denies access to ${location.name}${unsignedNote}.`);
  }
  if (status === 404 || status === 410) {
    const subject = direction === 'download' ? `no object ${location.name}` : `no bucket ${location.bucket}`;
    return permanent('missing', `There is ${subject} at ${host}.`);
  }
  const isTransient =
    transientErrorCodes.has(code) || status === 408 || status === 425 || status === 429 || status >= 500;
  if (!isTransient || status === 501 || status === 505) return permanent('failure', `${message}.`);
  return transientError(
    errorClassOf('failure', direction),
    `${message}.`,
    retryAfterMs(headers['retry-after'], Date.now()),
  );
}

/** Whether a server refuses a request for its grants, or might. */
export function isAclUnsupported(error: unknown): boolean {
  const errorResponse = parseS3Error(error);
  if (errorResponse === null || credentialErrorCodes.has(errorResponse.code)) return false;
  return (
    aclErrorCodes.has(errorResponse.code) ||
    errorResponse.code === 'AccessDenied' ||
    errorResponse.status === 501
  );
}

/** An error that nothing can be done about. */
export function transferFailure(direction: Direction, message: string): VencError {
  return new VencError(errorClassOf('failure', direction), message);
}

/** Only words are told: whatever else a server puts there might hold anything. */
function codePrefix(code: string): string {
  return /^[A-Za-z][A-Za-z0-9]{2,60}$/.test(code) ? `${code}, ` : '';
}

function retryAfterMs(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}
