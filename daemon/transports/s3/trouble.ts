import { isVencError, VencError } from '../../../src/shared/errors.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import type { Direction } from '../../transfer/map-disk-error.js';
import {
  classOf,
  connectionTrouble,
  type FaultKind,
  finalTrouble,
  passingTrouble,
  type Trouble,
} from '../../transfer/transfer-error.js';
import type { BucketPlace } from './place.js';

/** What a server of this kind said, as far as it is of use. */
export interface Refusal {
  /** Its own word, such as `NoSuchKey`; where it gave none, what the SDK made of the status. */
  readonly code: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The region that the bucket is in, where the server told it. */
  readonly region: string | null;
}

/** Reads what the SDK throws; null where it is no answer of a server. */
export function refusalOf(error: unknown): Refusal | null {
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

const badKeys: ReadonlySet<string> = new Set([
  'SignatureDoesNotMatch',
  'InvalidAccessKeyId',
  'InvalidToken',
  'ExpiredToken',
  'TokenRefreshRequired',
  'InvalidSecurity',
]);
const noRoom: ReadonlySet<string> = new Set(['QuotaExceeded', 'InsufficientStorage', 'XMinioStorageFull']);
const passing: ReadonlySet<string> = new Set([
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
const noGrants: ReadonlySet<string> = new Set(['AccessControlListNotSupported', 'NotImplemented']);

/** What an error of the SDK, or of a connection, means (contract, section 3). `host` is the server's, with its port. */
export function storageTrouble(
  error: unknown,
  direction: Direction,
  place: BucketPlace,
  host: string,
): Trouble {
  const refusal = refusalOf(error);
  if (refusal === null || refusal.status < 300) {
    if (isVencError(error) || systemCode(error) !== null) return connectionTrouble(error, host, direction);
    return passingTrouble(
      classOf('failure', direction),
      `${host} broke off, or answered what could not be understood.`,
    );
  }
  const { code, status, headers } = refusal;
  const final = (fault: FaultKind, message: string): Trouble =>
    finalTrouble(classOf(fault, direction), message);
  const said = `${host} answered for ${place.name} with ${known(code)}status ${status}`;
  if (code === 'RequestTimeTooSkewed') {
    return final('failure', `The clock of this machine and that of ${host} are too far apart: set it right.`);
  }
  if (badKeys.has(code) || status === 401) {
    if (place.keys !== null) return final('login', `${host} did not accept the keys for ${place.bucket}.`);
    return final('login', `${host} asks for keys for ${place.bucket}, and there are none.`);
  }
  if (code === 'NoSuchBucket') return final('missing', `There is no bucket ${place.bucket} at ${host}.`);
  if (code === 'NoSuchUpload') return passingTrouble(classOf('failure', direction), `${said}.`);
  if (noRoom.has(code) || status === 507 || (status === 413 && direction === 'upload')) {
    return final('failure', `There is no room left for ${place.name} at ${host}.`);
  }
  if (noGrants.has(code)) {
    return final(
      'denied',
      `The bucket ${place.bucket} takes no grants: leave out "public" and "access_control", or turn its access control lists on.`,
    );
  }
  if (code === 'UnresolvableGrantByEmailAddress') {
    return final('failure', `${host} knows no account by an e-mail address of "access_control".`);
  }
  if (status === 403) {
    const unsigned = place.keys === null ? ', which was asked for without keys' : '';
    return final('denied', `${host} denies access to ${place.name}${unsigned}.`);
  }
  if (status === 404 || status === 410) {
    const what = direction === 'download' ? `no object ${place.name}` : `no bucket ${place.bucket}`;
    return final('missing', `There is ${what} at ${host}.`);
  }
  const isPassing = passing.has(code) || status === 408 || status === 425 || status === 429 || status >= 500;
  if (!isPassing || status === 501 || status === 505) return final('failure', `${said}.`);
  return passingTrouble(
    classOf('failure', direction),
    `${said}.`,
    retryAfterMs(headers['retry-after'], Date.now()),
  );
}

/** Whether a server refuses a request for its grants, or might. */
export function knowsNoGrants(error: unknown): boolean {
  const refusal = refusalOf(error);
  if (refusal === null || badKeys.has(refusal.code)) return false;
  return noGrants.has(refusal.code) || refusal.code === 'AccessDenied' || refusal.status === 501;
}

/** An error that nothing can be done about. */
export function failedOn(direction: Direction, message: string): VencError {
  return new VencError(classOf('failure', direction), message);
}

/** Only words are told: whatever else a server puts there might hold anything. */
function known(code: string): string {
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
