import { isVencError, VencError } from '../api/errors.js';
import { type RouteName, routePath, routes } from '../api/routes.js';
import { exchange, type HttpAnswer, type HttpRequest } from './http.js';
import { mayHaveArrived } from './outages.js';
import { parseAnswer } from './parse-answer.js';
import { pause } from './pause.js';
import { doubtOf, refusalOf } from './refusals.js';
import { waitBefore } from './retries.js';
import type { Target } from './target.js';
import { tells } from './tells.js';

/** What goes with one call of a route. */
export interface Ask {
  /** Values for the `:names` of the route's path. */
  readonly values?: Readonly<Record<string, string | number>>;
  /** Query parameters; those that are undefined are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** A body that is sent as JSON. */
  readonly body?: unknown;
  /** A body that is streamed as it is. */
  readonly content?: { readonly sizeBytes: number; readonly content: AsyncIterable<Uint8Array> };
  /** A status that is an answer and no refusal here, beside those below 300. */
  readonly alsoGoodStatus?: number;
  /** Headers beside those that every call has. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

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

  async function begun(name: RouteName, options: Ask): Promise<HttpAnswer> {
    const answer = await reached(target, name, options, () => exchange(requestOf(target, name, options)));
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

function requestOf(target: Target, name: RouteName, options: Ask): HttpRequest {
  const body = options.body === undefined ? options.content?.content : JSON.stringify(options.body);
  return {
    method: routes[name].method,
    url: addressOf(target, name, options),
    headers: { ...headersOf(target, name, options, body), ...options.headers },
    ...(body === undefined ? {} : { body }),
    signal: options.signal,
  };
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

/** The suffix `.json` is the document's own way to ask for JSON; creates have none there, and neither have our additions. */
function addressOf(target: Target, name: RouteName, options: Ask): URL {
  const route = routes[name];
  const suffix = /^4\./.test(route.section) && route.method !== 'POST' ? '.json' : '';
  const base = target.url.replace(/\/+$/, '');
  const url = new URL(`${base}${routePath(name, options.values)}${suffix}`);
  for (const [key, value] of Object.entries(options.query ?? {})) {
    if (value !== undefined) url.searchParams.set(key, String(value));
  }
  const isKeyInQuery = target.isOwnDaemon !== true && name !== 'createJob' && name !== 'upload';
  if (isKeyInQuery && route.key !== 'none' && target.apiKey !== '') {
    url.searchParams.set('api_key', target.apiKey);
  }
  return url;
}

function headersOf(
  target: Target,
  name: RouteName,
  options: Ask,
  body: string | AsyncIterable<Uint8Array> | undefined,
): Readonly<Record<string, string>> {
  return {
    Accept: 'application/json',
    ...(routes[name].key === 'none' || target.apiKey === '' ? {} : { 'Service-Api-Key': target.apiKey }),
    ...(typeof body === 'string'
      ? { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }
      : {}),
    ...(options.content === undefined
      ? {}
      : {
          'Content-Type': 'application/octet-stream',
          'Content-Length': String(options.content.sizeBytes),
          // A service that refuses a file while it still comes would close at once, and its answer be lost in the break.
          Connection: 'keep-alive',
        }),
    ...(body === undefined && routes[name].method !== 'GET' ? { 'Content-Length': '0' } : {}),
  };
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

/** What a route is about, in words. */
const subjects: Readonly<Partial<Record<RouteName, string>>> = {
  createJob: 'new job',
  listJobs: 'list of jobs',
  reportAll: 'report',
  reportLive: 'report',
  reportVod: 'report',
  upload: 'upload',
};

function subjectOf(name: RouteName, options: Ask): string {
  const id = options.values?.id;
  if (id === undefined) return subjects[name] ?? `address ${routes[name].path}`;
  if (name.startsWith('input')) return `input ${id}`;
  return name.startsWith('output') ? `output ${id}` : `job ${id}`;
}
