import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { VencError } from '../../src/shared/errors.js';
import { type Route, type RouteName, routes } from '../../src/shared/routes.js';
import type { AppContext } from '../actions/app-context.js';
import { hasSuffix } from './accept-preferences.js';
import { preflightHeaders } from './cors.js';
import { type DispatcherOptions, type IncomingRequest, RequestDispatcher } from './dispatch-request.js';
import { isKeyedRoute, isOpenRoute, isWorkerRoute } from './handlers.js';
import type { Bindings } from './request-context.js';
import { type RequestPath, requestPathOf } from './request-path.js';

interface Env {
  Bindings: Bindings;
}

/** The methods that `Allow` lists for a route that accepts any method. */
const anyMethod = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Creates the app: every route of the table leads to the dispatcher, which also rejects all other requests.
 */
export function createApp(appContext: AppContext, options: DispatcherOptions): Hono<Env> {
  const dispatcher = new RequestDispatcher(appContext, options);
  const app = new Hono<Env>({ getPath: (request) => requestPathOf(request).path });
  const allowed = allowedMethods();
  const reject = (c: Context<Env>): Response => {
    const { path, suffix } = requestPathOf(c.req.raw);
    const methods = allowed.find((one) => one.suffix === suffix && one.pattern.test(path));
    if (methods === undefined) {
      const notFound = new VencError('NotFoundError', 'There is nothing at this address.');
      return dispatcher.reject(toIncomingRequest(c), notFound);
    }
    const methodNotAllowed = new VencError(
      'MethodNotAllowedError',
      `This address accepts only ${methods.allow}.`,
    );
    return dispatcher.reject(toIncomingRequest(c), methodNotAllowed, { Allow: methods.allow });
  };
  app.options('*', (c) => {
    c.env.outgoing.writeHead(204, preflightHeaders).end();
    return RESPONSE_ALREADY_SENT;
  });
  for (const name of Object.keys(routes) as RouteName[]) {
    const route: Route = routes[name];
    if (!isOpenRoute(name) && !isKeyedRoute(name) && !isWorkerRoute(name)) continue;
    const path = route.path.replace(/:id/g, ':id{[0-9]+}');
    const handle = (c: Context<Env>): Response | Promise<Response> =>
      acceptsMethod(route, c.req) && !isOfOtherMethod(route, c.req.raw, allowed)
        ? dispatcher.answer(name, toIncomingRequest(c))
        : reject(c);
    if (route.acceptsAnyMethod) app.all(path, handle);
    else app.on(route.method, path, handle);
  }
  app.notFound(reject);
  return app;
}

/** Whether a route lacks the suffix of a request, and a route with another method has it at this path. */
function isOfOtherMethod(route: Route, raw: Request, allowed: readonly AllowedMethods[]): boolean {
  const { path, suffix } = requestPathOf(raw);
  if (suffix === null || hasSuffix(route, suffix)) return false;
  return allowed.some((one) => one.suffix === suffix && one.pattern.test(path));
}

/** Whether a route takes a request whose method the router let through. */
function acceptsMethod(route: Route, { method, raw }: Context<Env>['req']): boolean {
  // The router treats a HEAD as a GET. It must not change anything (contract, section 1).
  if (method === 'HEAD') return route.method === 'GET';
  // Only the path without a suffix accepts any method (section 4.5).
  return route.acceptsAnyMethod !== true || method === route.method || requestPathOf(raw).suffix === null;
}

function toIncomingRequest(c: Context<Env>): IncomingRequest {
  return {
    method: c.req.method,
    address: c.req.url,
    suffix: requestPathOf(c.req.raw).suffix,
    params: c.req.param() as Record<string, string>,
    env: c.env,
    signal: () => c.req.raw.signal,
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
