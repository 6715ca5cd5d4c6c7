import { fieldsOf } from '../shared/client/coerce.js';
import type { ErrorClass } from '../shared/error-classes.js';
import { isVencError, VencError } from '../shared/errors.js';
import { redact } from '../shared/redact.js';

const connectionBroken = 'the connection broke off';
const untrustedCertificate = 'its certificate is not signed by a trusted authority';

/** Descriptions of Node's error codes. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: connectionBroken,
  EPIPE: connectionBroken,
  ERR_STREAM_PREMATURE_CLOSE: connectionBroken,
  ENOTFOUND: 'its host name does not exist',
  EAI_AGAIN: 'its host name could not be resolved',
  ETIMEDOUT: 'it did not answer in time',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to its network',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrustedCertificate,
  SELF_SIGNED_CERT_IN_CHAIN: untrustedCertificate,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrustedCertificate,
  UNABLE_TO_GET_ISSUER_CERT: untrustedCertificate,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrustedCertificate,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

/**
 * Errors that are often temporary, so that a retry may succeed. ECONNREFUSED is not one of them: no server runs there.
 */
const transientCodes = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'EAI_AGAIN'];

/** The error of a request without a complete response. `wasSent`: the whole request had been sent. */
export function toNetworkError(url: URL, error: unknown, wasSent: boolean): VencError {
  if (error instanceof VencError) return error;
  const code = codeOf(error);
  const reason = describeNetworkError(error);
  const message = wasSent
    ? `The service at ${url.origin} did not send a complete answer: ${reason}.`
    : `The service at ${url.origin} could not be reached: ${reason}.`;
  const hint = hintOf(code, reason, url);
  const cause = error instanceof Error ? Object.assign(error, { wasSent }) : error;
  return new VencError('UnreachableError', message, { cause, ...(hint === undefined ? {} : { hint }) });
}

/** Whether the service may have received the request and acted on it. */
export function mayHaveReachedService(error: VencError): boolean {
  return error.cause instanceof Error && fieldsOf(error.cause).wasSent === true;
}

/** Whether the network error is often temporary. */
export function isTransientNetworkError(error: VencError): boolean {
  return error.errorClass === 'UnreachableError' && transientCodes.includes(codeOf(error.cause));
}

/** Whether no service runs at the address. */
export function isRefused({ cause }: VencError): boolean {
  return codeOf(cause) === 'ECONNREFUSED';
}

/** Errors that do not show whether a service has a route. */
const unrelatedErrorClasses: readonly ErrorClass[] = [
  'UnauthorizedError',
  'TooManyRequestsError',
  'InterruptedError',
  'TimedOutError',
];

/**
 * Whether the error may mean that the service lacks the route, an addition to the service's API. Services report that
 * in many ways, such as an HTML page; the fallback request shows whether it is so.
 */
export function mayLackRoute(error: unknown): error is VencError {
  if (!isVencError(error)) return false;
  const wasAnswered = error.errorClass !== 'UnreachableError' || codeOf(error.cause) === '';
  return wasAnswered && !unrelatedErrorClasses.includes(error.errorClass);
}

/** Whether the service answered 404 or 405: it lacks the route, or what the path names. */
export function isNotFound(error: unknown): boolean {
  return isVencError(error, 'NotFoundError') || isVencError(error, 'MethodNotAllowedError');
}

/** What is known about a route that is an addition to the service's API. */
interface MissingRoute {
  /** The error for the user if the service lacks the route. */
  readonly missing: VencError;
  /** What to do if the key may not use the route; absent if a rejection needs no explanation. */
  readonly forbiddenHint?: string;
  /** A request that succeeds only at a service of this API. */
  readonly fallback: () => Promise<unknown>;
}

/**
 * Explains the error of a route that a service may lack: resolves to `missing` if the fallback request succeeds, to the
 * error with a hint if the key is rejected, and to other errors unchanged. Never rejects.
 */
export async function explainMissingRoute(
  error: unknown,
  { missing, forbiddenHint, fallback }: MissingRoute,
): Promise<unknown> {
  if (!mayLackRoute(error)) return error;
  if (forbiddenHint !== undefined && isVencError(error, 'ForbiddenError'))
    return new VencError('ForbiddenError', error.message, { cause: error, hint: forbiddenHint });
  return fallback().then(
    () => missing,
    () => error,
  );
}

/** Describes a network error. */
export function describeNetworkError(error: unknown): string {
  const code = codeOf(error);
  if (code.startsWith('HPE_')) return 'its answer is not HTTP';
  if (isTlsMismatch(code)) return 'it does not speak TLS';
  return reasons[code] ?? redact(error instanceof Error ? error.message : String(error));
}

function hintOf(code: string, reason: string, url: URL): string | undefined {
  if (reason === untrustedCertificate) {
    return 'if you trust it, name a file with its certificate, or its authority, in NODE_EXTRA_CA_CERTS';
  }
  if (isTlsMismatch(code)) return `is it at http://${url.host} ?`;
  if (code === 'HPE_INVALID_CONSTANT' && url.protocol === 'http:') return `is it at https://${url.host} ?`;
  return undefined;
}

function isTlsMismatch(code: string): boolean {
  return code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
