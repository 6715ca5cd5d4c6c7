import { type RouteName, routePath, routes } from '../shared/routes.js';
import type { HttpRequest } from './http.js';
import type { Target } from './target.js';

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
 * Whether the key of a call may be sent in the query as well (section 5): that of a GET, a cancel or a resubmit, and never to the local
 * daemon, nor a worker key. Queries end up in access logs, so this is only for services that do not accept the header.
 */
export function allowsKeyInQuery(target: Target, name: RouteName): boolean {
  if (target.isOwnDaemon === true || target.apiKey === '') return false;
  if (routes[name].key === 'none' || routes[name].key === 'worker') return false;
  return routes[name].method === 'GET' || name === 'cancelJob' || name === 'resubmitJob';
}

/** Builds the HTTP request of a call: with the key in the header, and with `isKeyInQuery` also in the query if the route allows that. */
export function buildHttpRequest(
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
  workers: 'list of workers',
  drainWorker: 'worker',
  resumeWorker: 'worker',
  upload: 'upload',
};

/** The subject of a call for messages: `job 7`, `list of jobs`. */
export function subjectOf(name: RouteName, options: CallOptions): string {
  const id = options.values?.id;
  if (id === undefined) return subjects[name] ?? `address ${routes[name].path}`;
  if (name.startsWith('input')) return `input ${id}`;
  return name.startsWith('output') ? `output ${id}` : `job ${id}`;
}
