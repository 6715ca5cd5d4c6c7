import { isVencError, VencError } from '../api/errors.js';
import { type RouteName, routePath, routes } from '../api/routes.js';
import { exchange, type HttpAnswer, type HttpRequest } from './http.js';
import { pause } from './pause.js';
import { refusalOf } from './refusals.js';
import type { Target } from './target.js';

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

/** Waits before the second and the third try of a safe method, unless `Retry-After` says otherwise. */
const retryDelaysMs = [250, 1000] as const;
/** A longer `Retry-After` is left to the person: commands do not hang. */
const longestRetryAfterSeconds = 5;

/** A caller of the service that a target names. See `Client` for the errors. */
export function createCaller(first: Target): Caller {
  let target = first;

  async function open(name: RouteName, options: Ask = {}): Promise<HttpAnswer> {
    const isSafe = routes[name].method === 'GET';
    for (let attempt = 0; ; attempt += 1) {
      const answer = await reached(target, () => exchange(requestOf(target, name, options)));
      if (answer.status < 300 || answer.status === options.alsoGoodStatus) return answer;
      const refusal = refusalOf(name, subjectOf(name, options), {
        status: answer.status,
        body: await reached(target, answer.text),
        retryAfter: secondsFrom(answer.headers['retry-after']),
        location: answer.headers.location,
      });
      const delayMs = retryDelaysMs[attempt];
      const waitMs = refusal.retryAfterSeconds === null ? delayMs : refusal.retryAfterSeconds * 1000;
      const isWorthIt = refusal.entry.retryable && (waitMs ?? 0) <= longestRetryAfterSeconds * 1000;
      if (!isSafe || delayMs === undefined || !isWorthIt) throw refusal;
      await pause(waitMs ?? 0, options.signal);
    }
  }

  return {
    target: () => target,
    open,
    ask: async (name, options = {}) => {
      const answer = await open(name, options);
      const asked = parsed(target, answer, await reached(target, answer.text));
      if (routes[name].method === 'GET' && isNothing(asked.body)) throw nothingRead(target);
      return asked;
    },
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

/** Adds to an outage what to do about this service. */
async function reached<T>(target: Target, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!isVencError(error, 'UnreachableError') || target.hint === undefined) throw error;
    throw new VencError(error.errorClass, error.message, { cause: error.cause, hint: target.hint });
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
      : { 'Content-Type': 'application/octet-stream', 'Content-Length': String(options.content.sizeBytes) }),
    ...(body === undefined && routes[name].method !== 'GET' ? { 'Content-Length': '0' } : {}),
  };
}

function parsed(target: Target, answer: HttpAnswer, body: string): Asked {
  const header = (name: string) => {
    const value = answer.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  if (answer.status === 204 || body.trim() === '') return { status: answer.status, body: null, header };
  try {
    return { status: answer.status, body: JSON.parse(body), header };
  } catch (error) {
    throw new VencError(
      'UnreachableError',
      `What answers at ${new URL(target.url).origin} does not speak JSON: it is no encoding service.`,
      { cause: error, ...(target.hint === undefined ? {} : { hint: target.hint }) },
    );
  }
}

/** Whether the answer to a question holds nothing at all: an empty list does say something. */
function isNothing(body: unknown): boolean {
  return (
    typeof body !== 'object' || body === null || (!Array.isArray(body) && Object.keys(body).length === 0)
  );
}

function nothingRead(target: Target): VencError {
  const message = `The service at ${new URL(target.url).origin} answered with nothing that could be read.`;
  return new VencError('UnreachableError', message, {
    hint: 'check that the address leads to an encoding service',
  });
}

function subjectOf(name: RouteName, options: Ask): string {
  const id = options.values?.id;
  if (id === undefined) return `address ${routes[name].path}`;
  if (name.startsWith('input')) return `input ${id}`;
  return name.startsWith('output') ? `output ${id}` : `job ${id}`;
}
