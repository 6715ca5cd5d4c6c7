import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { VencError } from '../../src/shared/errors.js';
import { type Route, type RouteName, routes } from '../../src/shared/routes.js';
import type { AppContext } from '../actions/app-context.js';
import { hasSuffix } from './accept-preferences.js';
import { preflightHeaders } from './cors.js';
import { type DispatcherOptions, RequestDispatcher } from './dispatch-request.js';
import { rejectAddress } from './parser-errors.js';
import type { IncomingRequest } from './request-context.js';
import { addressOf, normalizePath, pathnameOf, type RequestPath } from './request-path.js';

/** The methods that `Allow` lists for a route that accepts any method. */
const anyMethod = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The routes of one path. */
type PathRoutes = readonly (readonly [RouteName, Route])[];

/** The routes of the path of a request, and the values of its parameters. */
interface FoundPath {
  readonly routes: PathRoutes;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Creates the listener of the server: every route of the table leads to the dispatcher, which also rejects all
 * other requests.
 */
export function createApp(appContext: AppContext, options: DispatcherOptions): RequestListener {
  const dispatcher = new RequestDispatcher(appContext, options);
  const findPath = createPathFinder();
  return (incoming, outgoing) => {
    const address = addressOf(incoming);
    if (address === null) return rejectAddress(outgoing);
    if (incoming.method === 'OPTIONS') return void outgoing.writeHead(204, preflightHeaders).end();
    const { path, suffix } = normalizePath(pathnameOf(address));
    const found = findPath(path);
    const request = toIncomingRequest(incoming, outgoing, address, suffix, found.params);
    const name = routeOf(found.routes, request.method, suffix);
    if (name !== null) void dispatcher.answer(name, request);
    else reject(dispatcher, request, found.routes);
  };
}

function toIncomingRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  address: string,
  suffix: RequestPath['suffix'],
  params: FoundPath['params'],
): IncomingRequest {
  let known: AbortSignal | null = null;
  const signal = (): AbortSignal => {
    known ??= disconnectSignalOf(outgoing);
    return known;
  };
  return { method: incoming.method ?? 'GET', address, suffix, params, incoming, outgoing, signal };
}

/** A signal that is aborted when the client has disconnected before the end of the answer. */
function disconnectSignalOf(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const onClose = (): void => {
    if (!outgoing.writableFinished) controller.abort(new Error('The client disconnected.'));
  };
  if (outgoing.destroyed) onClose();
  else outgoing.once('close', onClose);
  return controller.signal;
}

/** The route of a path that answers a method and a suffix; null if there is none. */
function routeOf(found: PathRoutes, method: string, suffix: RequestPath['suffix']): RouteName | null {
  // A HEAD is a GET without a body. It must not change anything (contract, section 1).
  const sought = method === 'HEAD' ? 'GET' : method;
  // Only the path without a suffix accepts any method (section 4.5).
  const [name, route] =
    found.find(([, one]) => one.method === sought) ??
    (method === 'HEAD' || suffix !== null ? undefined : found.find(([, one]) => one.acceptsAnyMethod)) ??
    [];
  if (name === undefined || route === undefined) return null;
  // A route that lacks the suffix answers 404 itself, unless one with another method has it.
  return hasSuffix(route, suffix) || !found.some(([, one]) => hasSuffix(one, suffix)) ? name : null;
}

function reject(dispatcher: RequestDispatcher, request: IncomingRequest, found: PathRoutes): void {
  const { suffix } = request;
  const methods = found
    .filter(([, route]) => hasSuffix(route, suffix))
    .flatMap(([, { method, acceptsAnyMethod }]) => {
      const own = acceptsAnyMethod && suffix === null ? anyMethod : [method];
      return method === 'GET' ? [...own, 'HEAD'] : own;
    });
  // A path whose suffix no route has does not exist, whatever the method.
  if (methods.length === 0)
    return void dispatcher.reject(
      request,
      new VencError('NotFoundError', 'There is nothing at this address.'),
    );
  const allow = [...methods, 'OPTIONS'].join(', ');
  const message = `This address accepts only ${allow}.`;
  dispatcher.reject(request, new VencError('MethodNotAllowedError', message), { Allow: allow });
}

/** The first segment of a path that is a whole number. */
const idSegment = /\/(\d+)(?=\/|$)/;

/**
 * Creates the function that finds the routes of a path. Most paths have one id or no parameter, and are found in a
 * map; the few others are compared with one pattern after another.
 */
function createPathFinder(): (path: string) => FoundPath {
  const byPath = new Map<string, [RouteName, Route][]>();
  for (const [name, route] of Object.entries<Route>(routes) as [RouteName, Route][])
    byPath.set(route.path, [...(byPath.get(route.path) ?? []), [name, route]]);
  const named = [...byPath]
    .filter(([path]) => /:(?!id\b)/.test(path))
    .map(([path, found]) => ({
      pattern: new RegExp(`^${path.replace(/:id/g, '(?<id>[0-9]+)').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`),
      found,
    }));
  const none: FoundPath = { routes: [], params: {} };
  return (path) => {
    const match = idSegment.exec(path);
    const [segment = '', id = ''] = match ?? [];
    const key =
      match === null ? path : `${path.slice(0, match.index)}/:id${path.slice(match.index + segment.length)}`;
    const found = path.includes(':') ? undefined : byPath.get(key);
    if (found !== undefined) return { routes: found, params: match === null ? none.params : { id } };
    for (const one of named) {
      const groups = one.pattern.exec(path)?.groups;
      if (groups !== undefined) return { routes: one.found, params: decoded(groups) };
    }
    return none;
  };
}

function decoded(params: Readonly<Record<string, string>>): FoundPath['params'] {
  return Object.fromEntries(Object.entries(params).map(([name, text]) => [name, percentDecoded(text)]));
}

/** Decodes a segment; sequences that are not valid UTF-8 stay as they are. */
function percentDecoded(text: string): string {
  return text.replace(/(?:%[0-9A-Fa-f]{2})+/g, (sequence) => {
    try {
      return decodeURIComponent(sequence);
    } catch {
      return sequence;
    }
  });
}
