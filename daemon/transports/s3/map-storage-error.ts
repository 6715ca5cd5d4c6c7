import { isVencError, VencError } from '../../../src/shared/errors.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import type { Direction } from '../../transfer/disk-errors.js';
import {
  errorClassOf,
  type FailureKind,
  mapConnectionError,
  permanentError,
  retryAfterMs,
  type TransferError,
  transientError,
} from '../../transfer/transfer-error.js';
import type { ObjectLocation } from './object-location.js';

/** The error response of a server. */
interface S3ErrorResponse {
  /** Error code such as `NoSuchKey`; if the response has none, the name that the SDK derives from the status. */
  readonly code: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The region of the bucket, if the server reported it. */
  readonly region: string | null;
}

/** Parses an error of the SDK; null if it is not an error response of a server. */
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
    // It becomes part of a host name.
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

/** Maps an error of the SDK or of a connection (contract, section 3). `host` is that of the server, with its port. */
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
      `${host} broke off the connection, or sent an invalid response.`,
    );
  }
  const { code, status, headers } = errorResponse;
  const permanent = (failureKind: FailureKind, message: string): TransferError =>
    permanentError(errorClassOf(failureKind, direction), message);
  const message = `${host} answered for ${location.name} with ${codePrefix(code)}status ${status}`;
  if (code === 'RequestTimeTooSkewed') {
    return permanent(
      'failure',
      `The clock of this machine differs too much from the clock of ${host}: correct it.`,
    );
  }
  if (credentialErrorCodes.has(code) || status === 401) {
    if (location.keys !== null)
      return permanent('login', `${host} did not accept the keys for ${location.bucket}.`);
    return permanent('login', `${host} requires keys for ${location.bucket}, and none are configured.`);
  }
  if (code === 'NoSuchBucket')
    return permanent('missing', `There is no bucket ${location.bucket} at ${host}.`);
  if (code === 'NoSuchUpload') return transientError(errorClassOf('failure', direction), `${message}.`);
  if (quotaErrorCodes.has(code) || status === 507 || (status === 413 && direction === 'upload')) {
    return permanent('failure', `There is no space left for ${location.name} at ${host}.`);
  }
  if (aclErrorCodes.has(code)) {
    return permanent(
      'denied',
      `The bucket ${location.bucket} does not support grants: omit "public" and "access_control", or enable its access control lists.`,
    );
  }
  if (code === 'UnresolvableGrantByEmailAddress') {
    return permanent('failure', `${host} has no account with an e-mail address of "access_control".`);
  }
  if (status === 403) {
    const unsignedNote = location.keys === null ? ' without keys' : '';
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

/** Whether a server rejected a request because of its grants, or may have. */
export function isAclUnsupported(error: unknown): boolean {
  const errorResponse = parseS3Error(error);
  if (errorResponse === null || credentialErrorCodes.has(errorResponse.code)) return false;
  return (
    aclErrorCodes.has(errorResponse.code) ||
    errorResponse.code === 'AccessDenied' ||
    errorResponse.status === 501
  );
}

/** A permanent failure. */
export function transferFailure(direction: Direction, message: string): VencError {
  return new VencError(errorClassOf('failure', direction), message);
}

/** The error code for a message. It is shown only if it is a plain identifier, because servers may send any text. */
function codePrefix(code: string): string {
  return /^[A-Za-z][A-Za-z0-9]{2,60}$/.test(code) ? `${code}, ` : '';
}

function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}
