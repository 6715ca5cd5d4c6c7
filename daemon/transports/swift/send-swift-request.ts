import type { Readable } from 'node:stream';
import type { Direction } from '../../transfer/disk-errors.js';
import {
  errorClassOf,
  mapConnectionError,
  permanentError,
  type TransferError,
} from '../../transfer/transfer-error.js';
import type { Watchdog } from '../../transfer/with-retry.js';
import type { GuardedAgent, GuardedResponse } from '../http/guarded-agent.js';
import type { SwiftResponse } from './swift-errors.js';

/** One request. */
export interface SwiftRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  readonly origin: string;
  /** Percent-encoded, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Readable | null;
}

/** Answers that are no files are short; a server that goes on for ever is not listened to. */
const maxResponseBytes = 16 << 20;

/** Makes one request and reads its answer. Redirects are answers. Rejects only when the signal is aborted. */
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
        return permanentError(errorClassOf('failure', direction), `${host} answered without end.`);
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

/** Whether an answer is one, and no trouble. */
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
