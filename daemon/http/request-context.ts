import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ResponseName } from '../../src/shared/records/answers.js';
import type { Representation } from '../../src/shared/routes.js';
import type { AppContext } from '../actions/app-context.js';
import { readBody } from './body.js';
import type { RequestPath } from './request-path.js';

/** What the Node server passes to the app besides the request. */
export interface Bindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Who asks, if the request comes from the page (`/ui/api/...`), which has checked it. */
  readonly visitor?: Visitor;
}

/** Somebody who is signed in at the page. */
export interface Visitor {
  readonly holder: PageHolder;
  /** Names the session in the rate limit. */
  readonly sessionId: string;
  /** Aborted when the session ends, or after an hour. A function, because few requests last and need it. */
  readonly ended: () => AbortSignal;
}

/** A request to one of the routes, or to none, and where it is answered. */
export interface IncomingRequest {
  readonly method: string;
  /** The whole URL, as text. */
  readonly address: string;
  readonly suffix: RequestPath['suffix'];
  /** Values of the path's parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Who asks, if the request comes from the page. */
  readonly visitor: Visitor | null;
  /** Aborted when the client has disconnected. A function, because few handlers need it and it costs more than the rest. */
  readonly signal: () => AbortSignal;
}

/** The view of a request that handlers get. */
export interface RequestContext {
  readonly method: string;
  readonly url: URL;
  /** The first value of a query parameter; null if there is none. */
  query(name: string): string | null;
  /** Values of the path's parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Node's request. Bodies are read from here, because Hono drops those of GETs. */
  readonly incoming: IncomingMessage;
  readonly baseUrl: string;
  /** The representation that the client asked for. */
  readonly representation: Representation;
  /**
   * The body as a JSON value, read at most once; undefined if there is none. XML is converted to its JSON
   * equivalent.
   */
  body(): Promise<unknown>;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** The answer of a handler: a record, other text, bytes or a stream. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** In the shape that the route's `answer` names; errors in that of `errors`. */
  readonly record?: unknown;
  /** The shape of the record, if it is not that of the route. */
  readonly response?: ResponseName;
  /** Text in its final form, with its `Content-Type` in the headers. */
  readonly text?: string;
  /** The same as bytes, in consecutive chunks; a large chunk may be shared by many answers. */
  readonly bytes?: readonly Buffer[];
  readonly stream?: ReadableStream;
}

/** The account of a request. */
type RequestAccount = NonNullable<ReturnType<AppContext['accounts']['account']>>;

/** What the page knows of a visitor's key. Without a key, a proxy has named the account. */
export interface PageHolder {
  readonly account: RequestAccount;
  readonly kind: NonNullable<ReturnType<AppContext['accounts']['holderOf']>>['kind'];
  readonly keyId: string | null;
}

/** Answers a route that needs a key. `keyId` is the short id of that key; null if a proxy has named the account. */
export type RouteHandler = (
  appContext: AppContext,
  requestContext: RequestContext,
  account: RequestAccount,
  keyId: string | null,
) => Promise<Reply>;

/** The worker key of a request. */
type RequestWorkerKey = NonNullable<ReturnType<AppContext['accounts']['workerKeyOf']>>;

/** Answers a route that needs a worker key. `keyId` is the short id of that key. */
export type WorkerRouteHandler = (
  appContext: AppContext,
  requestContext: RequestContext,
  workerKey: RequestWorkerKey,
) => Promise<Reply>;

/** Answers a route that needs no key. */
export type PublicRouteHandler = (appContext: AppContext, requestContext: RequestContext) => Promise<Reply>;

/**
 * A request context that creates its more expensive parts on first use, because most handlers need none of
 * them.
 */
export class LazyRequestContext implements RequestContext {
  readonly #request: IncomingRequest;
  /** Address that hosted files are announced under; null for the one that the client used. */
  readonly #publicUrl: string | null;
  readonly representation: Representation;
  #url: URL | null = null;
  #body: Promise<unknown> | null = null;

  constructor(request: IncomingRequest, publicUrl: string | null, representation: Representation) {
    this.#request = request;
    this.#publicUrl = publicUrl;
    this.representation = representation;
  }

  get method(): string {
    return this.#request.method;
  }

  get url(): URL {
    this.#url ??= new URL(this.#request.address);
    return this.#url;
  }

  get params(): Readonly<Record<string, string>> {
    return this.#request.params;
  }

  get incoming(): IncomingMessage {
    return this.#request.incoming;
  }

  get baseUrl(): string {
    return this.#publicUrl ?? this.url.origin;
  }

  get signal(): AbortSignal {
    return this.#request.signal();
  }

  query(name: string): string | null {
    return this.#request.address.includes('?') ? this.url.searchParams.get(name) : null;
  }

  body(): Promise<unknown> {
    const body = this.#body ?? readBody(this.#request.incoming);
    this.#body = body;
    return body;
  }
}
