import type { Readable } from 'node:stream';
import type { Credentials } from '../../transfer/remote-url.js';
import { connectionTrouble, finalTrouble, type Trouble } from '../../transfer/transfer-error.js';
import type { GuardedAgent } from './agent.js';
import { type AnswerReading, type Asked, isOfPart, readAnswer } from './answer.js';
import { basicAuthorization, readHttpUrl } from './http-url.js';
import type { HttpAnswer } from './send-request.js';

const maxRedirects = 10;

/** The body of a file and what it is a part of; or why there is none. */
export type AskReading =
  | (Extract<AnswerReading, { type: 'body' }> & {
      readonly body: Readable;
      readonly host: string;
      /** Where all redirects have led to. */
      readonly target: Target;
    })
  | Extract<AnswerReading, { type: 'changed' | 'unsound' }>
  | {
      readonly type: 'trouble';
      readonly trouble: Trouble;
      /** Whether it is an answer of a server that says no, for now or for good. */
      readonly isRefusal: boolean;
    };

/** An address to ask, and the credentials to show there. */
export interface Target {
  readonly url: URL;
  readonly credentials: Credentials | null;
  /** Headers that are shown there beside these, such as a token. Like credentials, they are for this origin alone. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What goes with one question. */
export interface AskOptions {
  /** Where redirects of earlier questions have led to: asked instead of the first address. */
  readonly resolved?: Target | null;
  readonly signal: AbortSignal;
  /** Called whenever a server has answered. */
  readonly alive: () => void;
}

/**
 * Asks for a file or for the rest of one, following redirects. Each of them is connected to anew and so passes the guard; the
 * credentials of the first URL are for its own origin alone. Rejects only when the signal is aborted.
 */
export async function ask(
  agent: GuardedAgent,
  first: Target,
  asked: Asked,
  { resolved = null, signal, alive }: AskOptions,
): Promise<AskReading> {
  let target = resolved ?? first;
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const { host } = target.url;
    const answer = await send(agent, target, asked, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      return connectionTrouble(error, host, 'download');
    });
    if ('kind' in answer) return { type: 'trouble', trouble: answer, isRefusal: false };
    alive();
    const { statusCode: status, headers, body } = answer;
    const reading = readAnswer({ status, headers }, asked, host, new Date());
    if (reading.type === 'body') return { ...reading, body, host, target };
    body.destroy();
    if (reading.type === 'trouble') return { ...reading, isRefusal: true };
    if (reading.type !== 'redirect') return reading;
    const next = redirected(first, target, reading.location);
    if ('kind' in next) return { type: 'trouble', trouble: next, isRefusal: true };
    target = next;
  }
  const message = `${first.url.host} redirected more than ${maxRedirects} times.`;
  return { type: 'trouble', trouble: finalTrouble('DownloadFailureError', message), isRefusal: true };
}

function send(
  agent: GuardedAgent,
  { url, credentials, headers }: Target,
  asked: Asked,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const { fromByte, toByte, known } = asked;
  const lastByte = toByte == null ? '' : toByte - 1;
  return agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: 'GET',
    signal,
    headers: {
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'venc',
      ...headers,
      ...(credentials === null ? {} : { authorization: basicAuthorization(credentials) }),
      ...(isOfPart(asked) ? { range: `bytes=${fromByte}-${lastByte}` } : {}),
      ...(isOfPart(asked) && known?.validator != null ? { 'if-range': known.validator } : {}),
    },
  });
}

function redirected(first: Target, from: Target, location: string): Target | Trouble {
  const { host } = from.url;
  const text = URL.canParse(location, from.url.href) ? new URL(location, from.url).href : location;
  const reading = readHttpUrl(text);
  if (!reading.ok) {
    return finalTrouble('DownloadFailureError', `${host} redirects to an address that is not of the web.`);
  }
  const isHome = reading.url.origin === first.url.origin;
  const credentials = reading.credentials ?? (isHome ? first.credentials : null);
  return {
    url: reading.url,
    credentials,
    ...(isHome && first.headers !== undefined ? { headers: first.headers } : {}),
  };
}
