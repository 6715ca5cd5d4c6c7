import type { Readable } from 'node:stream';
import type { VencError } from '../../src/shared/errors.js';
import type { SsrfGuard } from '../net/ssrf-guard.js';
import { mapConnectionError } from '../transfer/transfer-error.js';
import type { GuardedRequest } from '../transports/http/guarded-agent.js';
import { createGuardedAgent, type GuardedAgent } from '../transports/http/guarded-agent.js';
import { basicAuthorization, parseHttpUrl } from '../transports/http/http-url.js';

/** A request to post. The names of its headers are in lower case. */
export interface WebhookRequest {
  /**
   * An `http:` or `https:` URL. A user and password in it become basic authentication, unless the headers
   * have their own.
   */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The options of a webhook client. */
interface WebhookClientOptions {
  readonly guard: SsrfGuard;
  /** Maximum duration of one attempt, from the address look-up to the end of the answer, in milliseconds. */
  readonly timeoutMs: number;
}

/** The result of an attempt. */
export interface PostResult {
  /** The HTTP status; null without an answer. */
  readonly status: number | null;
  /** Null if the answer is 2xx, else a sentence that says why not and contains no secret. */
  readonly failure: string | null;
}

/** Posts small bodies to URLs that clients name. */
export interface WebhookClient {
  /** Makes one attempt. Does not follow redirects. Rejects only if the signal is aborted. */
  post(webhook: WebhookRequest, signal: AbortSignal): Promise<PostResult>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/**
 * Maximum number of bytes that are read of an answer, so that its connection can be reused. The rest of a
 * longer answer is not read.
 */
const maxResponseBytes = 16_384;

/** Makes a webhook client whose every connection passes the SSRF guard. */
export function createWebhookClient({ guard, timeoutMs }: WebhookClientOptions): WebhookClient {
  const agent = createGuardedAgent(guard, timeoutMs);
  return {
    async post(webhook, signal) {
      signal.throwIfAborted();
      const parsed = parseHttpUrl(webhook.url);
      if (!parsed.ok) return { status: null, failure: `The address ${parsed.validationError}.` };
      const { url, credentials } = parsed;
      const authorization = credentials === null ? {} : { authorization: basicAuthorization(credentials) };
      const request = {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: 'POST',
        headers: { 'user-agent': 'venc', ...authorization, ...webhook.headers },
        body: webhook.body,
      } as const;
      return sendOnce(agent, request, { host: url.host, timeoutMs, signal });
    },
    async close() {
      agent.destroy();
    },
  };
}

interface SendOptions {
  /** The host with its port, for messages. */
  readonly host: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

async function sendOnce(
  agent: GuardedAgent,
  request: GuardedRequest,
  { host, timeoutMs, signal }: SendOptions,
): Promise<PostResult> {
  const limit = new AbortController();
  const abort = (): void => limit.abort();
  const timer = setTimeout(abort, timeoutMs).unref();
  signal.addEventListener('abort', abort);
  try {
    const { statusCode, body } = await agent.request({ ...request, signal: limit.signal });
    // The status decides. It does not matter how the body ends, or whether it does in time.
    await drainBody(body).catch(() => undefined);
    return { status: statusCode, failure: rejectionOf(statusCode, host) };
  } catch (error) {
    signal.throwIfAborted();
    const failure = limit.signal.aborted
      ? `${host} did not answer within ${timeoutMs / 1000} seconds.`
      : formatError(mapConnectionError(error, host, 'upload').error);
    return { status: null, failure };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Reads a body to its end, so that its connection can be reused. Ends a longer body together with its
 * connection.
 */
async function drainBody(body: Readable): Promise<void> {
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > maxResponseBytes) return;
  }
}

/** The message of the error, with a hint if the address is forbidden: no other output has that hint. */
function formatError({ errorClass, message, hint, entry }: VencError): string {
  return errorClass === 'ForbiddenAddressError' ? `${message} ${hint ?? entry.advice}` : message;
}

function rejectionOf(status: number, host: string): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400
    ? `${host} redirects elsewhere (${status}), which is not followed.`
    : `${host} answered ${status}.`;
}
