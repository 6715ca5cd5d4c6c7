import { Hono } from 'hono';
import { VencError } from '../../src/api/errors.js';
import { type Route, type RouteName, routes } from '../../src/api/routes.js';
import type { Workshop } from '../actions/workshop.js';
import { authenticate } from './auth.js';
import { readJsonBody } from './body.js';
import type { Exchange, Reply } from './exchange.js';
import type { Handler, OpenHandler } from './handler.js';
import { getHosted } from './hosted.js';
import { requestPath } from './path.js';
import { problemReply } from './problems.js';
import { jsonType, toJson } from './represent/json.js';
import { getHealth, getVersion } from './status.js';
import { getInput, getInputProgress, getOutput, getOutputProgress } from './v2/files.js';
import { getJob, getJobProgress, getJobs, postJob, putCancel, putResubmit } from './v2/jobs.js';
import { putUpload } from './v2/uploads.js';

/** What the node server hands to the app beside the request. */
interface Bindings {
  readonly incoming: Exchange['incoming'];
}

const keyed = {
  createJob: postJob,
  listJobs: getJobs,
  jobDetails: getJob,
  jobProgress: getJobProgress,
  cancelJob: putCancel,
  resubmitJob: putResubmit,
  inputDetails: getInput,
  inputProgress: getInputProgress,
  outputDetails: getOutput,
  outputProgress: getOutputProgress,
  upload: putUpload,
} as const satisfies Partial<Record<RouteName, Handler>>;

const open = { hostedFile: getHosted, health: getHealth, version: getVersion } as const satisfies Record<
  Exclude<RouteName, keyof typeof keyed>,
  OpenHandler
>;

const patterns: Readonly<Record<string, string>> = { ':id': ':id{[0-9]+}' };
/** The plain path of a cancel takes any method (section 4.5). */
const anyMethod = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The counter: every route of the table, answered through the actions. */
export function createApp(
  workshop: Workshop,
  options: { readonly publicUrl: string | null },
): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>({
    getPath: (request) => requestPath(new URL(request.url).pathname).path,
  });
  const methodsByPath = new Map<string, string[]>();
  app.use(async (c, next) => {
    if (c.req.method === 'OPTIONS') return new Response(null, { status: 204, headers: corsHeaders });
    return next();
  });
  for (const name of Object.keys(routes) as RouteName[]) {
    const route: Route = routes[name];
    const path = route.path.replace(/:id/g, (parameter) => patterns[parameter] ?? parameter);
    const methods = name === 'cancelJob' ? anyMethod : [route.method];
    const allowed = route.method === 'GET' ? [...methods, 'HEAD'] : methods;
    methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), ...allowed]);
    app.on(methods, path, async (c, next) => {
      // A HEAD comes here as a GET, and must change nothing (contract, section 1).
      if (c.req.method === 'HEAD' && route.method !== 'GET') return next();
      const url = new URL(c.req.url);
      const exchange = exchangeOf(
        c.req.method,
        url,
        c.req.param() as Record<string, string>,
        c.env.incoming,
        c.req.raw.signal,
        options,
      );
      requireJson(exchange);
      return toResponse(await answer(workshop, name, route, exchange));
    });
  }
  for (const [path, methods] of methodsByPath) {
    app.all(path, () => {
      const allow = [...methods, 'OPTIONS'].join(', ');
      const reply = problemReply(new VencError('MethodNotAllowedError', `This address takes ${allow}.`));
      return toResponse({ ...reply, headers: { Allow: allow } });
    });
  }
  app.notFound((c) =>
    toResponse(problemReply(new VencError('NotFoundError', `There is nothing at ${c.req.path}.`))),
  );
  app.onError((error, c) => {
    if (!(error instanceof VencError))
      workshop.log('error', `${c.req.method} ${c.req.path}: ${error.stack ?? error.message}`);
    return toResponse(problemReply(error));
  });
  return app;
}

async function answer(workshop: Workshop, name: RouteName, route: Route, exchange: Exchange): Promise<Reply> {
  if (isOpen(name)) return open[name](workshop, exchange);
  const holder = await authenticate(workshop, route, exchange);
  return keyed[name](workshop, exchange, holder.account);
}

function isOpen(name: RouteName): name is keyof typeof open {
  return Object.hasOwn(open, name);
}

function exchangeOf(
  method: string,
  url: URL,
  params: Record<string, string>,
  incoming: Exchange['incoming'],
  signal: AbortSignal,
  options: { readonly publicUrl: string | null },
): Exchange {
  let body: Promise<unknown> | null = null;
  return {
    method,
    url,
    params,
    incoming,
    signal,
    baseUrl: options.publicUrl ?? url.origin,
    body: () => {
      body ??= readJsonBody(incoming);
      return body;
    },
  };
}

/** This version speaks JSON; a request for another form is told so instead of being answered with what it can't read. */
function requireJson({ url }: Exchange): void {
  const { suffix } = requestPath(url.pathname);
  const format = url.searchParams.get('format');
  if ((suffix === null || suffix === 'json') && (format === null || format === 'json')) return;
  throw new VencError('NotFoundError', 'This version answers in JSON only.');
}

const corsHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, OPTIONS',
  'Access-Control-Allow-Headers': 'Content-Type, Service-Api-Key, Zencoder-Api-Key, Range, If-Range',
  'Access-Control-Expose-Headers': 'Link, X-Total-Count, Retry-After, Content-Range',
};

function toResponse({ status, headers, record, stream }: Reply): Response {
  const all: Record<string, string> = { ...corsHeaders, ...headers };
  if (record === undefined) return new Response(stream ?? null, { status, headers: all });
  return new Response(toJson(record), { status, headers: { ...all, 'Content-Type': jsonType } });
}
