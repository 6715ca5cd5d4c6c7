import type { ErrorClass } from '../shared/error-classes.js';
import { VencError } from '../shared/errors.js';
import { redact } from '../shared/redact.js';
import { fieldsOf } from './coerce.js';

const connectionBroken = 'the connection broke off';
const untrustedCertificate = 'its certificate is not signed by a trusted authority';

/** What the codes of Node mean to people. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: connectionBroken,
  EPIPE: connectionBroken,
  ERR_STREAM_PREMATURE_CLOSE: connectionBroken,
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host could not be looked up',
  ETIMEDOUT: 'it did not answer in time',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to its network',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrustedCertificate,
  SELF_SIGNED_CERT_IN_CHAIN: untrustedCertificate,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrustedCertificate,
  UNABLE_TO_GET_ISSUER_CERT: untrustedCertificate,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrustedCertificate,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

/** Troubles that often pass by themselves, so that a question is worth asking again. A refused connection is none: nothing runs there. */
const transientCodes = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'EAI_AGAIN'];

/** The error of a request that got no whole answer. `wasSent` tells whether all of it had gone out by then. */
export function toNetworkError(url: URL, error: unknown, wasSent: boolean): VencError {
  if (error instanceof VencError) return error;
  const code = codeOf(error);
  const reason = describeNetworkError(error);
  const message = wasSent
    ? `The service at ${url.origin} gave no whole answer: ${reason}.`
    : `The service at ${url.origin} could not be reached: ${reason}.`;
  const hint = hintOf(code, reason, url);
  const cause = error instanceof Error ? Object.assign(error, { wasSent }) : error;
  return new VencError('UnreachableError', message, { cause, ...(hint === undefined ? {} : { hint }) });
}

/** Whether an error left open if the service got, and did, what it was asked for. */
export function mayHaveReachedService(error: VencError): boolean {
  return error.cause instanceof Error && fieldsOf(error.cause).wasSent === true;
}

/** Whether the connection broke in a way that often passes by itself. */
export function isTransientNetworkError(error: VencError): boolean {
  return error.errorClass === 'UnreachableError' && transientCodes.includes(codeOf(error.cause));
}

/** Errors that say nothing of whether a service knows an address. */
const unrelatedErrorClasses: readonly ErrorClass[] = [
  'UnauthorizedError',
  'TooManyRequestsError',
  'InterruptedError',
  'TimedOutError',
];

/**
 * Whether a service may have meant that it does not know an address, an addition to the document: they have many ways to say so, a
 * page of their own among them. What is asked in its stead tells.
 */
export function mayLackRoute(error: VencError): boolean {
  const wasAnswered = error.errorClass !== 'UnreachableError' || codeOf(error.cause) === '';
  return wasAnswered && !unrelatedErrorClasses.includes(error.errorClass);
}

/** What went wrong with a connection, in words. */
export function describeNetworkError(error: unknown): string {
  const code = codeOf(error);
  if (code.startsWith('HPE_')) return 'what it answered is no HTTP';
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
