import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { isVencError, VencError } from '../../src/shared/errors.js';
import type { AnswerName } from '../../src/shared/records/answers.js';
import { type Representation, type Route, type RouteName, routes } from '../../src/shared/routes.js';
import type { Workshop } from '../actions/app-context.js';
import { refusalRepresentation, representationOf, type Wishes } from './accept-preferences.js';
import { authorize, type GivenKey, Identifier } from './auth.js';
import { corsHeaders, exposingHeaders, headerList } from './cors.js';
import { RequestExchange } from './create-request-context.js';
import { problemReply } from './error-responses.js';
import { isOpenRoute, keyedHandlers, openHandlers } from './handlers.js';
import { callbackOf } from './representations/jsonp.js';
import { type Form, represent } from './representations/represent.js';
import type { Bindings, Exchange, Reply } from './request-context.js';
import { pathnameOf, type RequestPath } from './request-path.js';

/** How the counter is set up. */
export interface CounterOptions {
  /** Address that hosted files are announced under; null for the one that the client used. */
  readonly publicUrl: string | null;
  /** Takes one request from the account of whoever asks: null, or the seconds to wait where there are too many. */
  readonly takeTurn: (who: string) => number | null;
}

/** One request, as the router found it. */
export interface Asked {
  readonly method: string;
  readonly address: string;
  readonly suffix: RequestPath['suffix'];
  readonly params: Readonly<Record<string, string>>;
  readonly env: Bindings;
  readonly signal: () => AbortSignal;
}

/** Answers requests: finds out who asks and in which form, has the handler act, and writes the answer. Never rejects. */
export class Counter {
  readonly #workshop: Workshop;
  readonly #identifier: Identifier;
  readonly #options: CounterOptions;

  constructor(workshop: Workshop, options: CounterOptions) {
    this.#workshop = workshop;
    this.#identifier = new Identifier(workshop);
    this.#options = options;
  }

  /** Answers a route. Resolves to a response for the server to carry on with where the answer is a stream. */
  async answer(name: RouteName, asked: Asked): Promise<Response> {
    const route: Route = routes[name];
    const wishes = wishesOf(asked);
    let form: Form = { type: 'json' };
    try {
      const representation = representationOf(route, wishes);
      const exchange = this.#exchange(asked, representation);
      form = formOf(route, representation, exchange);
      return send(asked, await this.#act(name, route, exchange), route.answer ?? 'errors', form);
    } catch (error) {
      if (!isVencError(error)) this.#report(asked, error);
      const refusal = form.type === 'jsonp' ? form : { type: refusalRepresentation(wishes) };
      return send(asked, problemReply(error), 'errors', refusal);
    }
  }

  /** Refuses what no route takes, in the form that was asked for. */
  refuse(asked: Asked, error: VencError, headers: Readonly<Record<string, string>> = {}): Response {
    const reply = problemReply(error);
    const form = { type: refusalRepresentation(wishesOf(asked)) };
    return send(asked, { ...reply, headers: { ...reply.headers, ...headers } }, 'errors', form);
  }

  #act(name: RouteName, route: Route, exchange: Exchange): Promise<Reply> {
    if (isOpenRoute(name)) return openHandlers[name](this.#workshop, exchange);
    const given = this.#identifier.identify(exchange);
    return given instanceof Promise
      ? given.then((found) => this.#actFor(found, name, route, exchange))
      : this.#actFor(given, name, route, exchange);
  }

  #actFor(
    given: GivenKey,
    name: Exclude<RouteName, keyof typeof openHandlers>,
    route: Route,
    exchange: Exchange,
  ): Promise<Reply> {
    const who = given.holder?.keyId ?? `address ${exchange.incoming.socket.remoteAddress}`;
    const waitSeconds = this.#options.takeTurn(who);
    if (waitSeconds !== null) throw tooManyRequests(waitSeconds);
    const { account, keyId } = authorize(route, given);
    this.#workshop.accounts.noteUse(keyId);
    return keyedHandlers[name](this.#workshop, exchange, account, keyId);
  }

  #exchange(asked: Asked, representation: Representation): Exchange {
    const { method, address, params, env, signal } = asked;
    const { publicUrl } = this.#options;
    return new RequestExchange({
      method,
      address,
      incoming: env.incoming,
      publicUrl,
      params,
      representation,
      signal,
    });
  }

  #report({ method, address, signal }: Asked, error: unknown): void {
    if (isOfClientGone(signal(), error)) {
      this.#workshop.log('info', `${method} ${pathnameOf(address)}: the client left before it was done.`);
      return;
    }
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#workshop.log('error', `${method} ${pathnameOf(address)}: ${what}`);
  }
}

/** Whether a request ended because nobody waits for its answer any more: that is no fault of the daemon. */
function isOfClientGone({ aborted, reason }: AbortSignal, error: unknown): boolean {
  return aborted && error === reason;
}

function tooManyRequests(waitSeconds: number): VencError {
  return new VencError('TooManyRequestsError', `Too many requests: try again in ${waitSeconds} s.`, {
    retryAfterSeconds: waitSeconds,
  });
}

function wishesOf({ address, suffix, env }: Asked): Wishes {
  const format = address.includes('format=') ? new URL(address).searchParams.get('format') : null;
  return { suffix, format, accept: env.incoming.headers.accept };
}

function formOf(route: Route, representation: Representation, exchange: Exchange): Form {
  if (representation !== 'jsonp') return { type: representation };
  return { type: 'jsonp', callback: callbackOf(exchange.query('callback'), route.callback ?? 'callback') };
}

/**
 * Writes an answer. Texts go straight to the socket: a `Response` of Node's own is read through a stream again, which took two thirds
 * of the time of a small answer. Streams are given back for the server to carry on with. Headers go as names and values in turn,
 * the cheapest form, so no name may come from two places: it would be sent twice.
 */
function send({ method, env }: Asked, reply: Reply, answer: AnswerName, form: Form): Response {
  const { outgoing } = env;
  const own = reply.headers === undefined ? [] : headerList({ ...exposingHeaders, ...reply.headers });
  if (reply.record !== undefined) {
    const { text, headers } = represent(reply.record, answer, form);
    outgoing.writeHead(reply.status, headers.concat(own, 'Content-Length', String(Buffer.byteLength(text))));
    outgoing.end(method === 'HEAD' ? undefined : text);
    return RESPONSE_ALREADY_SENT;
  }
  if (reply.stream !== undefined && method !== 'HEAD') {
    const headers = { ...corsHeaders, ...exposingHeaders, ...reply.headers };
    return new Response(reply.stream, { status: reply.status, headers });
  }
  void reply.stream?.cancel();
  const pieces: readonly (string | Buffer)[] = reply.bytes ?? (reply.text === undefined ? [] : [reply.text]);
  const bytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  const length = pieces.length === 0 ? [] : ['Content-Length', String(bytes)];
  outgoing.writeHead(reply.status, headerList(corsHeaders).concat(own, length));
  if (method !== 'HEAD') for (const piece of pieces) outgoing.write(piece);
  outgoing.end();
  return RESPONSE_ALREADY_SENT;
}
