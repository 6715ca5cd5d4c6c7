import type { Readable } from 'node:stream';
import type { VencError } from '../../src/shared/errors.js';
import type { Guard } from '../net/ssrf-guard.js';
import { connectionTrouble } from '../transfer/transfer-error.js';
import { createGuardedAgent, type GuardedAgent } from '../transports/http/agent.js';
import { basicAuthorization, readHttpUrl } from '../transports/http/http-url.js';
import type { HttpRequest } from '../transports/http/send-request.js';

/** What is posted. The names of its headers are in lower case. */
export interface Letter {
  /** An `http:` or `https:` URL; a user and password in it become basic authentication, unless the headers have their own. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What posting depends on. */
export interface PosterOptions {
  readonly guard: Guard;
  /** How long one attempt may take, from the first look at the address to the end of the answer, in milliseconds. */
  readonly timeoutMs: number;
}

/** Posts small bodies to addresses that clients name. */
export interface Poster {
  /**
   * Makes one attempt. Resolves to null where it was answered with 2xx, else to a sentence that says why not and holds no secret.
   * Redirects are not followed. Rejects only when the signal is aborted.
   */
  post(letter: Letter, signal: AbortSignal): Promise<string | null>;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** How much of an answer is read, in bytes, so that its connection can be used again. Of longer ones the rest is never looked at. */
const maxAnswerBytes = 16_384;

/** Makes a poster whose every connection passes the guard. */
export function createPoster({ guard, timeoutMs }: PosterOptions): Poster {
  const agent = createGuardedAgent(guard, timeoutMs);
  return {
    async post(letter, signal) {
      signal.throwIfAborted();
      const reading = readHttpUrl(letter.url);
      if (!reading.ok) return `The address ${reading.complaint}.`;
      const { url, credentials } = reading;
      const authorization = credentials === null ? {} : { authorization: basicAuthorization(credentials) };
      const request = {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: 'POST',
        headers: { 'user-agent': 'venc', ...authorization, ...letter.headers },
        body: letter.body,
      } as const;
      return attempt(agent, request, { host: url.host, timeoutMs, signal });
    },
    async close() {
      agent.destroy();
    },
  };
}

interface AttemptOptions {
  /** The host with its port, to be named in sentences. */
  readonly host: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

async function attempt(
  agent: GuardedAgent,
  request: HttpRequest,
  { host, timeoutMs, signal }: AttemptOptions,
): Promise<string | null> {
  const limit = new AbortController();
  const end = (): void => limit.abort();
  const timer = setTimeout(end, timeoutMs).unref();
  signal.addEventListener('abort', end);
  try {
    const { statusCode, body } = await agent.request({ ...request, signal: limit.signal });
    // The head of the answer has said it all: how its body ends, or whether it does in time, is all the same.
    await passOver(body).catch(() => undefined);
    return refusalOf(statusCode, host);
  } catch (error) {
    signal.throwIfAborted();
    if (limit.signal.aborted) return `${host} did not answer within ${timeoutMs / 1000} seconds.`;
    return troubleText(connectionTrouble(error, host, 'upload').error);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

/** Reads a body to its end, so that its connection can be used again, and ends a longer one with its connection. */
async function passOver(body: Readable): Promise<void> {
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    bytes += piece.byteLength;
    if (bytes > maxAnswerBytes) return;
  }
}

/** The message, and where an address is refused what can be done about it: nobody else tells that of a receiver. */
function troubleText({ errorClass, message, hint, entry }: VencError): string {
  return errorClass === 'ForbiddenAddressError' ? `${message} ${hint ?? entry.advice}` : message;
}

function refusalOf(status: number, host: string): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400
    ? `${host} redirects elsewhere (${status}), which is not followed.`
    : `${host} answered ${status}.`;
}
