import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Representation } from '../../src/shared/routes.js';
import type { AppContext } from '../actions/app-context.js';
import { readBody } from './body.js';

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
  /** Text in its final form, with its `Content-Type` in the headers. */
  readonly text?: string;
  /** The same as bytes, in consecutive chunks; a large chunk may be shared by many answers. */
  readonly bytes?: readonly Buffer[];
  readonly stream?: ReadableStream;
}

/** What the Node server passes to the app besides the request. */
export interface Bindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** The account of a request. */
type RequestAccount = NonNullable<ReturnType<AppContext['accounts']['account']>>;

/** Answers a route that needs a key. `keyId` is the short id of that key. */
export type RouteHandler = (
  appContext: AppContext,
  requestContext: RequestContext,
  account: RequestAccount,
  keyId: string,
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

/** The parts of a request context. */
interface RequestContextParts {
  readonly method: string;
  /** The whole URL, as text. */
  readonly address: string;
  readonly incoming: IncomingMessage;
  /** Address that hosted files are announced under; null for the one that the client used. */
  readonly publicUrl: string | null;
  readonly params: Readonly<Record<string, string>>;
  readonly representation: Representation;
  /** A function, because the signal costs more than the rest and few handlers need it. */
  readonly signal: () => AbortSignal;
}

/**
 * A request context that creates its more expensive parts on first use, because most handlers need none of
 * them.
 */
export class LazyRequestContext implements RequestContext {
  readonly #parts: RequestContextParts;
  #url: URL | null = null;
  #body: Promise<unknown> | null = null;

  constructor(parts: RequestContextParts) {
    this.#parts = parts;
  }

  get method(): string {
    return this.#parts.method;
  }

  get url(): URL {
    this.#url ??= new URL(this.#parts.address);
    return this.#url;
  }

  get params(): Readonly<Record<string, string>> {
    return this.#parts.params;
  }

  get incoming(): IncomingMessage {
    return this.#parts.incoming;
  }

  get representation(): Representation {
    return this.#parts.representation;
  }

  get baseUrl(): string {
    return this.#parts.publicUrl ?? this.url.origin;
  }

  get signal(): AbortSignal {
    return this.#parts.signal();
  }

  query(name: string): string | null {
    return this.#parts.address.includes('?') ? this.url.searchParams.get(name) : null;
  }

  body(): Promise<unknown> {
    const body = this.#body ?? readBody(this.#parts.incoming);
    this.#body = body;
    return body;
  }
}
