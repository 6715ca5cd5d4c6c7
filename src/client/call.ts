import { isVencError, VencError } from '../shared/errors.js';
import { type RouteName, routes } from '../shared/routes.js';
import { exchange, type HttpAnswer } from './http.js';
import { tells } from './is-valid-answer.js';
import { mayHaveArrived } from './network-errors.js';
import { parseAnswer } from './parse-json.js';
import { pause } from './pause.js';
import { doubtOf, refusalOf } from './rejections.js';
import { type Ask, mayHaveKeyInQuery, requestOf, subjectOf } from './requests.js';
import { waitBefore } from './retries.js';
import type { Target } from './target.js';

export type { Ask } from './requests.js';

/** A good answer. `body` is the parsed JSON, null where there was none. */
export interface Asked {
  readonly status: number;
  readonly body: unknown;
  header(name: string): string | undefined;
}

/** Sends calls to a target, which {@link relocate} may find anew. */
export interface Caller {
  target(): Target;
  ask(route: RouteName, ask?: Ask): Promise<Asked>;
  /** The same, resolving when a good answer begins: the caller takes its body. */
  open(route: RouteName, ask?: Ask): Promise<HttpAnswer>;
  relocate(): Promise<void>;
}

/** A caller of the service that a target names. See `Client` for the errors. */
export function createCaller(first: Target): Caller {
  let target = first;
  let isKeyInQuery = first.isKeyInQuery === true;

  /** Sends a call with its key in the header. Only after a 401 it is repeated with the key in the query, where the document has it. */
  async function sent(name: RouteName, options: Ask): Promise<HttpAnswer> {
    const answer = await exchange(requestOf(target, name, options, isKeyInQuery));
    if (answer.status !== 401 || isKeyInQuery || !mayHaveKeyInQuery(target, name)) return answer;
    answer.content.destroy();
    const repeated = await exchange(requestOf(target, name, options, true));
    if (repeated.status !== 401) {
      isKeyInQuery = true;
      await target.rememberKeyInQuery?.();
    }
    return repeated;
  }

  async function begun(name: RouteName, options: Ask): Promise<HttpAnswer> {
    const answer = await reached(target, name, options, () => sent(name, options));
    if (answer.status < 300 || answer.status === options.alsoGoodStatus) return answer;
    throw refusalOf(name, subjectOf(name, options), {
      status: answer.status,
      body: await reached(target, name, options, answer.text),
      url: target.url,
      isOwnDaemon: target.isOwnDaemon === true,
      retryAfter: secondsFrom(answer.headers['retry-after']),
      location: answer.headers.location,
    });
  }

  async function asked(name: RouteName, options: Ask): Promise<Asked> {
    const answer = await begun(name, options);
    const body = await reached(target, name, options, answer.text);
    return reached(target, name, options, async () => read(target, name, answer, body));
  }

  async function tried<T>(name: RouteName, options: Ask, attempt: () => Promise<T>): Promise<T> {
    for (let attempts = 0; ; attempts += 1) {
      try {
        return await attempt();
      } catch (error) {
        const waitMs = waitBefore(name, error, attempts);
        if (waitMs === null) throw error;
        await pause(waitMs, options.signal);
      }
    }
  }

  return {
    target: () => target,
    open: (name, options = {}) => tried(name, options, () => begun(name, options)),
    ask: (name, options = {}) => tried(name, options, () => asked(name, options)),
    relocate: async () => {
      target = (await target.locate?.().catch(() => undefined)) ?? target;
    },
  };
}

/** `Retry-After` in seconds: it may also be a time of the clock. */
function secondsFrom(header: string | undefined): string | undefined {
  if (header === undefined || /^\s*[\d.]+\s*$/.test(header)) return header;
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : String(Math.max(0, Math.ceil((time - Date.now()) / 1000)));
}

/** Adds to an outage what to do about this service, or about what may have been done there. */
async function reached<T>(
  target: Target,
  name: RouteName,
  options: Ask,
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!isVencError(error, 'UnreachableError')) throw error;
    const doubt = mayHaveArrived(error) ? doubtOf(name, options.values?.id) : null;
    const hint = doubt ?? error.hint ?? target.hint;
    if (hint === undefined || hint === error.hint) throw error;
    throw new VencError(error.errorClass, error.message, { cause: error.cause, hint });
  }
}

/** A good answer, read. Throws `UnreachableError` where it is no JSON, or holds nothing though something was asked for. */
function read(target: Target, name: RouteName, answer: HttpAnswer, text: string): Asked {
  const header = (key: string) => {
    const value = answer.headers[key];
    return Array.isArray(value) ? value[0] : value;
  };
  const isEmpty = answer.status === 204 || text.trim() === '';
  const body = isEmpty ? null : parsed(target, text);
  if (routes[name].method !== 'GET' || tells(name, body)) return { status: answer.status, body, header };
  const message = `The service at ${new URL(target.url).origin} answered with nothing that could be read.`;
  throw new VencError('UnreachableError', message, {
    hint: 'check that the address leads to an encoding service',
  });
}

function parsed(target: Target, text: string): unknown {
  try {
    return parseAnswer(text);
  } catch (error) {
    const { origin } = new URL(target.url);
    const message = /^\s*[[{]/.test(text)
      ? `The service at ${origin} answered with broken JSON.`
      : `What answers at ${origin} does not speak JSON: it is no encoding service.`;
    throw new VencError('UnreachableError', message, {
      cause: Object.assign(error as Error, { wasSent: true }),
    });
  }
}
