import type { Readable } from 'node:stream';
import type { VencError } from '../../src/shared/errors.js';
import type { SsrfGuard } from '../net/ssrf-guard.js';
import { mapConnectionError } from '../transfer/transfer-error.js';
import type { GuardedRequest } from '../transports/http/guarded-agent.js';
import { createGuardedAgent, type GuardedAgent } from '../transports/http/guarded-agent.js';
import { basicAuthorization, parseHttpUrl } from '../transports/http/http-url.js';

/** What is posted. The names of its headers are in lower case. */
export interface WebhookRequest {
  /** An `http:` or `https:` URL; a user and password in it become basic authentication, unless the headers have their own. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What posting depends on. */
export interface WebhookClientOptions {
  readonly guard: SsrfGuard;
  /** How long one attempt may take, from the first look at the address to the end of the answer, in milliseconds. */
  readonly timeoutMs: number;
}

/** Posts small bodies to addresses that clients name. */
export interface WebhookClient {
  /**
   * Makes one attempt. Resolves to null where it was answered with 2xx, else to a sentence that says why not and holds no secret.
   * Redirects are not followed. Rejects only when the signal is aborted.
   */
  post(webhook: WebhookRequest, signal: AbortSignal): Promise<string | null>;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** How much of an answer is read, in bytes, so that its connection can be used again. Of longer ones the rest is never looked at. */
const maxResponseBytes = 16_384;

/** Makes a poster whose every connection passes the guard. */
export function createWebhookClient({ guard, timeoutMs }: WebhookClientOptions): WebhookClient {
  const agent = createGuardedAgent(guard, timeoutMs);
  return {
    async post(webhook, signal) {
      signal.throwIfAborted();
      const parsed = parseHttpUrl(webhook.url);
      if (!parsed.ok) return `The address ${parsed.validationError}.`;
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
  /** The host with its port, to be named in sentences. */
  readonly host: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

async function sendOnce(
  agent: GuardedAgent,
  request: GuardedRequest,
  { host, timeoutMs, signal }: SendOptions,
): Promise<string | null> {
  const limit = new AbortController();
  const abort = (): void => limit.abort();
  const timer = setTimeout(abort, timeoutMs).unref();
  signal.addEventListener('abort', abort);
  try {
    const { statusCode, body } = await agent.request({ ...request, signal: limit.signal });
    // The head of the answer has said it all: how its body ends, or whether it does in time, is all the same.
    await drainBody(body).catch(() => undefined);
    return rejectionOf(statusCode, host);
  } catch (error) {
    signal.throwIfAborted();
    if (limit.signal.aborted) return `${host} did not answer within ${timeoutMs / 1000} seconds.`;
    return formatError(mapConnectionError(error, host, 'upload').error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** Reads a body to its end, so that its connection can be used again, and ends a longer one with its connection. */
async function drainBody(body: Readable): Promise<void> {
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > maxResponseBytes) return;
  }
}

/** The message, and where an address is refused what can be done about it: nobody else tells that of a receiver. */
function formatError({ errorClass, message, hint, entry }: VencError): string {
  return errorClass === 'ForbiddenAddressError' ? `${message} ${hint ?? entry.advice}` : message;
}

function rejectionOf(status: number, host: string): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400
    ? `${host} redirects elsewhere (${status}), which is not followed.`
    : `${host} answered ${status}.`;
}
