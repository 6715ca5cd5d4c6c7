import { secondsOfRetryAfter } from '../shared/client/retry-delay.js';
import { isVencError, VencError } from '../shared/errors.js';
import { type RouteName, routePath, routes } from '../shared/routes.js';
import { abortableSleep } from '../shared/util/timing.js';
import { type HttpRequest, type HttpResponse, sendHttpRequest } from './http.js';
import { mayHaveReachedService } from './network-errors.js';
import { type ServiceResponse, toServiceResponse } from './read-response.js';
import { retryDelayFor } from './retries.js';
import type { Target } from './target.js';

/** Sends calls to a target. {@link relocate} looks the target up again. */
export interface Caller {
  target(): Target;
  call(route: RouteName, call?: CallOptions): Promise<ServiceResponse>;
  /** The same, but resolves when the headers of a successful response arrive; the caller reads the body. */
  open(route: RouteName, call?: CallOptions): Promise<HttpResponse>;
  relocate(): Promise<void>;
}

/** Receives a line when a request is sent and one when it is answered or fails. URLs may contain secrets. */
export type OnRequest = (line: string) => void;

/** Creates a caller of the target's service. See `Client` for the errors. */
export function createCaller(first: Target, onRequest?: OnRequest): Caller {
  let target = first;
  let isKeyInQuery = first.isKeyInQuery === true;
  const send = onRequest === undefined ? sendHttpRequest : sendReported(onRequest);

  /**
   * Sends a call with its key in the header. After a 401 it is repeated with the key in the query if section 5 allows
   * that for the route.
   */
  async function sendWithKey(name: RouteName, options: CallOptions): Promise<HttpResponse> {
    const response = await send(buildHttpRequest(target, name, options, isKeyInQuery));
    if (response.status !== 401 || isKeyInQuery || !allowsKeyInQuery(target, name)) return response;
    response.content.destroy();
    const repeated = await send(buildHttpRequest(target, name, options, true));
    if (repeated.status !== 401) {
      isKeyInQuery = true;
      await target.rememberKeyInQuery?.();
    }
    return repeated;
  }

  async function openResponse(name: RouteName, options: CallOptions): Promise<HttpResponse> {
    const response = await withServiceHint(target, name, options, () => sendWithKey(name, options));
    if (response.status < 300 || response.status === options.acceptedStatus) return response;
    const { toServiceError } = await import('./service-errors.js');
    throw toServiceError(name, subjectOf(name, options), {
      status: response.status,
      body: await withServiceHint(target, name, options, response.text),
      url: target.url,
      isOwnDaemon: target.isOwnDaemon === true,
      isOwnerKey: target.isOwnerKey === true,
      retryAfter: secondsOfRetryAfter(response.headers['retry-after'], Date.now()),
      location: response.headers.location,
    });
  }

  async function callOnce(name: RouteName, options: CallOptions): Promise<ServiceResponse> {
    const response = await openResponse(name, options);
    const body = await withServiceHint(target, name, options, response.text);
    return withServiceHint(target, name, options, async () =>
      toServiceResponse(target, name, response, body),
    );
  }

  async function withRetries<T>(
    name: RouteName,
    options: CallOptions,
    attempt: () => Promise<T>,
  ): Promise<T> {
    for (let attempts = 0; ; attempts += 1) {
      try {
        return await attempt();
      } catch (error) {
        const waitMs = retryDelayFor(name, error, attempts);
        if (waitMs === null) throw error;
        await abortableSleep(waitMs, options.signal);
      }
    }
  }

  return {
    target: () => target,
    open: (name, options = {}) => withRetries(name, options, () => openResponse(name, options)),
    call: (name, options = {}) => withRetries(name, options, () => callOnce(name, options)),
    relocate: async () => {
      target = (await target.locate?.().catch(() => undefined)) ?? target;
    },
  };
}

function sendReported(onRequest: OnRequest): typeof sendHttpRequest {
  return async (request) => {
    const subject = `${request.method} ${request.url.href}`;
    onRequest(subject);
    const startedAt = performance.now();
    const report = (end: string) =>
      onRequest(`${subject} (${end} after ${Math.round(performance.now() - startedAt)} ms)`);
    try {
      const response = await sendHttpRequest(request);
      report(`status ${response.status}`);
      return response;
    } catch (error) {
      report('no response');
      throw error;
    }
  };
}

/** Adds a hint to a network error: what to do about this service, or how to check whether the request took effect. */
async function withServiceHint<T>(
  target: Target,
  name: RouteName,
  options: CallOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!isVencError(error, 'UnreachableError')) throw error;
    const { ambiguityHint } = await import('./service-errors.js');
    const ambiguity = mayHaveReachedService(error) ? ambiguityHint(name, options.values?.id) : null;
    const hint = ambiguity ?? error.hint ?? target.hint;
    if (hint === undefined || hint === error.hint) throw error;
    throw new VencError(error.errorClass, error.message, { cause: error.cause, hint });
  }
}

/** Options of one call. */
export interface CallOptions {
  /** Values for the `:names` of the route's path. */
  readonly values?: Readonly<Record<string, string | number>>;
  /** Query parameters; undefined ones are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Streamed as the body. */
  readonly content?: { readonly sizeBytes: number; readonly content: AsyncIterable<Uint8Array> };
  /** A status of 300 or more that is not an error for this call. */
  readonly acceptedStatus?: number;
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Whether the key of a call may be sent in the query as well (section 5): that of a GET, a cancel or a resubmit, and
 * never to the local daemon, nor a worker key. Queries end up in access logs, so this is only for services that do not
 * accept the header.
 */
function allowsKeyInQuery(target: Target, name: RouteName): boolean {
  if (target.isOwnDaemon === true || target.apiKey === '') return false;
  if (routes[name].key === 'none' || routes[name].key === 'worker') return false;
  return routes[name].method === 'GET' || name === 'cancelJob' || name === 'resubmitJob';
}

/**
 * Builds the HTTP request of a call: with the key in the header, and with `isKeyInQuery` also in the query if the route
 * allows that.
 */
function buildHttpRequest(
  target: Target,
  name: RouteName,
  options: CallOptions,
  isKeyInQuery = false,
): HttpRequest {
  const body = options.body === undefined ? options.content?.content : JSON.stringify(options.body);
  const url = buildUrl(target, name, options);
  if (isKeyInQuery && allowsKeyInQuery(target, name)) url.searchParams.set('api_key', target.apiKey);
  return {
    method: routes[name].method,
    url,
    headers: { ...buildHeaders(target, name, options, body), ...options.headers },
    ...(body === undefined ? {} : { body }),
    signal: options.signal,
  };
}

/** Routes of section 4 end in `.json` except creates; venc's additions do not. */
function buildUrl(target: Target, name: RouteName, options: CallOptions): URL {
  const route = routes[name];
  const suffix = /^4\./.test(route.section) && route.method !== 'POST' ? '.json' : '';
  const base = target.url.replace(/\/+$/, '');
  const url = new URL(`${base}${routePath(name, options.values)}${suffix}`);
  for (const [key, value] of Object.entries(options.query ?? {})) {
    if (value !== undefined) url.searchParams.set(key, String(value));
  }
  return url;
}

function keyHeader({ apiKey }: Target, name: RouteName): Readonly<Record<string, string>> {
  if (routes[name].key === 'none' || apiKey === '') return {};
  return routes[name].key === 'worker'
    ? { Authorization: `Bearer ${apiKey}` }
    : { 'Service-Api-Key': apiKey };
}

function buildHeaders(
  target: Target,
  name: RouteName,
  options: CallOptions,
  body: string | AsyncIterable<Uint8Array> | undefined,
): Readonly<Record<string, string>> {
  return {
    Accept: 'application/json',
    ...keyHeader(target, name),
    ...(typeof body === 'string'
      ? { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }
      : {}),
    ...(options.content === undefined
      ? {}
      : {
          'Content-Type': 'application/octet-stream',
          'Content-Length': String(options.content.sizeBytes),
          // A service that rejects a file during the upload would close the connection, and its answer would be lost.
          Connection: 'keep-alive',
        }),
    ...(body === undefined && routes[name].method !== 'GET' ? { 'Content-Length': '0' } : {}),
  };
}

/** The subjects of routes without an id. */
const subjects: Readonly<Partial<Record<RouteName, string>>> = {
  createJob: 'new job',
  listJobs: 'list of jobs',
  reportAll: 'report',
  reportLive: 'report',
  reportVod: 'report',
  daemonLog: 'log of the daemon',
  daemonLogEvents: 'log of the daemon',
  events: 'events of the jobs',
  queue: 'queue',
  pauseQueue: 'queue',
  resumeQueue: 'queue',
  workers: 'list of workers',
  drainWorker: 'worker',
  pauseWorker: 'worker',
  resumeWorker: 'worker',
  upload: 'upload',
};

/** The subject of a call for messages: `job 7`, `list of jobs`. */
function subjectOf(name: RouteName, options: CallOptions): string {
  const id = options.values?.id;
  if (id === undefined) return subjects[name] ?? `address ${routes[name].path}`;
  if (name.startsWith('input')) return `input ${id}`;
  return name.startsWith('output') ? `output ${id}` : `job ${id}`;
}
