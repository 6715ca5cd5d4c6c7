import type { Direction } from '../../transfer/disk-errors.js';
import {
  errorClassOf,
  permanentError,
  type TransferError,
  transientError,
} from '../../transfer/transfer-error.js';

/** An answer of Swift that brings no file. */
export interface SwiftResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What was asked for, to be named in messages. */
export interface SwiftTarget {
  /** The host with its port. */
  readonly host: string;
  readonly container: string;
  readonly object: string;
  readonly direction: Direction;
}

/** What a status that is none of success means. Messages never quote what the server says. */
export function errorOfSwiftStatus({ status, headers }: SwiftResponse, target: SwiftTarget): TransferError {
  const { host, direction } = target;
  const message = `${host} answered with status ${status}`;
  const failure = errorClassOf('failure', direction);
  if (status === 401) return loginError(host);
  if (status === 403) return permanentError(errorClassOf('denied', direction), `${message}: access denied.`);
  if (status === 404) return objectNotFoundError(target);
  if (status === 413 || status === 507)
    return permanentError(failure, `${host} has no room for the file: it answered with status ${status}.`);
  const isTransient = [408, 409, 422, 425, 429, 498, 499].includes(status) || status >= 500;
  if (!isTransient || status === 501 || status === 505) return permanentError(failure, `${message}.`);
  return transientError(failure, `${message}.`, retryAfterMs(headers['retry-after']));
}

/** That a server does not know the user, or not by this key. */
export function loginError(host: string): TransferError {
  return permanentError(
    'InvalidUsernameOrPasswordError',
    `${host} does not accept the user and the API key.`,
  );
}

/** That there is nothing to be brought, or nowhere to bring it. */
export function objectNotFoundError({ host, container, object, direction }: SwiftTarget): TransferError {
  const description =
    direction === 'download'
      ? `no object "${object}" in the container "${container}"`
      : `no container "${container}"`;
  return permanentError(errorClassOf('missing', direction), `There is ${description} at ${host}.`);
}

function retryAfterMs(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : null;
}
