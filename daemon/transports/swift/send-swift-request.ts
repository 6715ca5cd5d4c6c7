import type { Readable } from 'node:stream';
import type { Direction } from '../../transfer/disk-errors.js';
import {
  errorClassOf,
  mapConnectionError,
  permanentError,
  retryAfterMs,
  type TransferError,
  transientError,
} from '../../transfer/transfer-error.js';
import type { Watchdog } from '../../transfer/with-retry.js';
import type { GuardedAgent, GuardedResponse } from '../http/guarded-agent.js';

/** A request to Swift. */
interface SwiftRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  readonly origin: string;
  /** Percent-encoded, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Readable | null;
}

/** Maximum size of a response without a file. */
const maxResponseBytes = 16 << 20;

/** Sends one request and reads the response. Redirects are not followed. Rejects only if the signal is aborted. */
export async function sendSwiftRequest(
  agent: GuardedAgent,
  { origin, path, method, headers, body = null }: SwiftRequest,
  { signal, reportActivity }: Watchdog,
  direction: Direction,
): Promise<SwiftResponse | TransferError> {
  const { host } = new URL(origin);
  try {
    const response = await agent.request({
      origin,
      path,
      method,
      body,
      signal,
      headers: { 'user-agent': 'venc', ...headers },
    });
    reportActivity();
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      reportActivity();
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes > maxResponseBytes)
        return permanentError(
          errorClassOf('failure', direction),
          `${host} sent a response that is too long.`,
        );
    }
    return {
      status: response.statusCode,
      headers: firstHeaderValues(response.headers),
      text: Buffer.concat(chunks).toString('utf8'),
    };
  } catch (error) {
    signal.throwIfAborted();
    return mapConnectionError(error, host, direction);
  }
}

/** Whether a result is a response and not a `TransferError`. */
export function isSwiftResponse(response: SwiftResponse | TransferError): response is SwiftResponse {
  return 'status' in response;
}

function firstHeaderValues(headers: GuardedResponse['headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const first = typeof value === 'string' ? value : value?.[0];
      return first === undefined ? [] : [[name, first]];
    }),
  );
}

/** A response of Swift without a file. */
export interface SwiftResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The requested object, for messages. */
interface SwiftTarget {
  /** Host with its port. */
  readonly host: string;
  readonly container: string;
  readonly object: string;
  readonly direction: Direction;
}

/** Maps an error status. Messages never quote the response. */
export function errorOfSwiftStatus({ status, headers }: SwiftResponse, target: SwiftTarget): TransferError {
  const { host, direction } = target;
  const message = `${host} answered with status ${status}`;
  const failure = errorClassOf('failure', direction);
  if (status === 401) return loginError(host);
  if (status === 403) return permanentError(errorClassOf('denied', direction), `${message}: access denied.`);
  if (status === 404) return objectNotFoundError(target);
  if (status === 413 || status === 507)
    return permanentError(failure, `${host} has no space for the file: it answered with status ${status}.`);
  const isTransient = [408, 409, 422, 425, 429, 498, 499].includes(status) || status >= 500;
  if (!isTransient || status === 501 || status === 505) return permanentError(failure, `${message}.`);
  return transientError(failure, `${message}.`, retryAfterMs(headers['retry-after'], Date.now()));
}

/** The error for a rejected login. */
export function loginError(host: string): TransferError {
  return permanentError(
    'InvalidUsernameOrPasswordError',
    `${host} does not accept the user and the API key.`,
  );
}

/** The error for a missing object (download) or a missing container (upload). */
export function objectNotFoundError({ host, container, object, direction }: SwiftTarget): TransferError {
  const description =
    direction === 'download'
      ? `no object "${object}" in the container "${container}"`
      : `no container "${container}"`;
  return permanentError(errorClassOf('missing', direction), `There is ${description} at ${host}.`);
}
