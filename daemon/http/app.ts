import { type Context, Hono } from 'hono';
import { VencError } from '../../src/shared/errors.js';
import { type Route, type RouteName, routes } from '../../src/shared/routes.js';
import type { AppContext } from '../actions/app-context.js';
import { hasSuffix } from './accept-preferences.js';
import { preflightHeaders } from './cors.js';
import { type DispatcherOptions, RequestDispatcher } from './dispatch-request.js';
import { isKeyedRoute, isOpenRoute, isWorkerRoute } from './handlers.js';
import type { Bindings, IncomingRequest, Visitor } from './request-context.js';
import { normalizePath, pagePathOf, pathnameOf, type RequestPath } from './request-path.js';

interface Env {
  Bindings: Bindings;
}

const answeredHeaders: readonly (readonly string[])[] = [['x-hono-already-sent', 'true']];

/** As `RESPONSE_ALREADY_SENT` of Hono's server, which reads all headers of each response; here they are one constant. */
const answered = {
  status: 200,
  body: null,
  headers: Object.defineProperties(new Headers(), {
    has: { value: () => false },
    [Symbol.iterator]: { value: () => answeredHeaders.values() },
  }),
} as unknown as Response;

/** What the app needs of the page (`daemon/web`). */
export interface AppOptions extends DispatcherOptions {
  /** Loads the page, at the first request to it; absent if there is none (`--no-ui`). */
  readonly loadPage?: () => Promise<Page>;
}

/** The page: it answers every request to `/ui` and below. */
export interface Page {
  /** `callApi` answers a request to a path of `/v2` for a visitor whom the page has checked. */
  answer(request: Request, bindings: Bindings, callApi: CallApi): Response | Promise<Response>;
}

/** Answers a request of the page by a route of version 2. */
export type CallApi = (request: Request, visitor: Visitor) => Response | Promise<Response>;

/** The methods that `Allow` lists for a route that accepts any method. */
const anyMethod = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Creates the app: every route of the table leads to the dispatcher, which also rejects all other requests and writes
 * every answer itself. The handlers return at once, so that a request needs no promise of the framework.
 */
export function createApp(appContext: AppContext, options: AppOptions): Hono<Env> {
  const dispatcher = new RequestDispatcher(appContext, options);
  // The path of the request that the app is routing: it calls the handler in the same turn.
  let requested: RequestPath = { path: '/', suffix: null };
  let isOfPage = false;
  const getPath = ({ url }: Request): string => {
    const pathname = pathnameOf(url);
    isOfPage = pagePathOf(pathname) !== null;
    requested = isOfPage ? { path: '/ui', suffix: null } : normalizePath(pathname);
    return requested.path;
  };
  const app = new Hono<Env>({ getPath });
  let page: Promise<Page> | null = null;
  const allowed = allowedMethods();
  const reject = (c: Context<Env>): Response => {
    const { path, suffix } = requested;
    const methods = allowed.find((one) => one.suffix === suffix && one.pattern.test(path));
    if (methods === undefined) {
      const notFound = new VencError('NotFoundError', 'There is nothing at this address.');
      dispatcher.reject(toIncomingRequest(c, requested), notFound);
      return answered;
    }
    const methodNotAllowed = new VencError(
      'MethodNotAllowedError',
      `This address accepts only ${methods.allow}.`,
    );
    dispatcher.reject(toIncomingRequest(c, requested), methodNotAllowed, { Allow: methods.allow });
    return answered;
  };
  app.all('/ui', (c) => {
    // Other paths that lead here, such as /api/ui, are not those of the page.
    if (!isOfPage || options.loadPage === undefined) return reject(c);
    page ??= options.loadPage();
    const { env, req } = c;
    const callApi: CallApi = (request, visitor) => app.fetch(request, { ...env, visitor });
    const answer = async (loading: Promise<Page>): Promise<Response> => {
      try {
        return await (await loading).answer(req.raw, env, callApi);
      } catch (error) {
        appContext.log('error', `The page: ${error instanceof Error ? error.stack : error}`);
        return new Response('Internal error; the log of the daemon has the details.\n', { status: 500 });
      }
    };
    return answer(page);
  });
  app.options('*', (c) => {
    c.env.outgoing.writeHead(204, preflightHeaders).end();
    return answered;
  });
  for (const name of Object.keys(routes) as RouteName[]) {
    const route: Route = routes[name];
    if (!isOpenRoute(name) && !isKeyedRoute(name) && !isWorkerRoute(name)) continue;
    const path = route.path.replace(/:id/g, ':id{[0-9]+}');
    const handle = (c: Context<Env>): Response => {
      const hasVisitor = c.env.visitor !== undefined;
      if (
        !acceptsMethod(route, c.req.method, requested, hasVisitor) ||
        isOfOtherMethod(route, requested, allowed)
      )
        return reject(c);
      void dispatcher.answer(name, toIncomingRequest(c, requested));
      return answered;
    };
    if (route.acceptsAnyMethod) app.all(path, handle);
    else app.on(route.method, path, handle);
  }
  app.notFound(reject);
  return app;
}

/** Whether a route lacks the suffix of a request, and a route with another method has it at this path. */
function isOfOtherMethod(
  route: Route,
  { path, suffix }: RequestPath,
  allowed: readonly AllowedMethods[],
): boolean {
  if (suffix === null || hasSuffix(route, suffix)) return false;
  return allowed.some((one) => one.suffix === suffix && one.pattern.test(path));
}

/** Whether a route takes a request whose method the router let through. */
function acceptsMethod(route: Route, method: string, { suffix }: RequestPath, isOfPage: boolean): boolean {
  // The router treats a HEAD as a GET. It must not change anything (contract, section 1).
  if (method === 'HEAD') return route.method === 'GET';
  // A GET of the page changes nothing.
  if (isOfPage) return method === route.method;
  // Only the path without a suffix accepts any method (section 4.5).
  return route.acceptsAnyMethod !== true || method === route.method || suffix === null;
}

function toIncomingRequest({ req, env }: Context<Env>, { suffix }: RequestPath): IncomingRequest {
  return {
    method: req.method,
    address: req.url,
    suffix,
    params: req.param() as Record<string, string>,
    incoming: env.incoming,
    outgoing: env.outgoing,
    visitor: env.visitor ?? null,
    signal: () =>
      env.visitor === undefined ? req.raw.signal : AbortSignal.any([req.raw.signal, env.visitor.ended()]),
  };
}

/** The `Allow` header of a path, without a suffix or with one. */
interface AllowedMethods {
  readonly pattern: RegExp;
  readonly suffix: RequestPath['suffix'];
  readonly allow: string;
}

function allowedMethods(): readonly AllowedMethods[] {
  return ([null, 'json', 'xml', 'js', 'txt'] as const).flatMap((suffix) => {
    const byPath = new Map<string, string[]>();
    // A path whose suffix no route has does not exist, whatever the method.
    for (const route of Object.values<Route>(routes).filter((one) => hasSuffix(one, suffix))) {
      const methods = route.acceptsAnyMethod && suffix === null ? anyMethod : [route.method];
      const all = route.method === 'GET' ? [...methods, 'HEAD'] : methods;
      byPath.set(route.path, [...(byPath.get(route.path) ?? []), ...all]);
    }
    return [...byPath].map(([path, methods]) => ({
      pattern: new RegExp(`^${path.replace(/:id/g, '[0-9]+').replace(/:\w+/g, '[^/]+')}$`),
      suffix,
      allow: [...methods, 'OPTIONS'].join(', '),
    }));
  });
}
