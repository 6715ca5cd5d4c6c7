import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Representation } from '../../src/shared/routes.js';

/** What a handler gets to see of a request. */
export interface RequestContext {
  readonly method: string;
  readonly url: URL;
  /** The first value of a query parameter; null where it was not given. */
  query(name: string): string | null;
  /** Values of the path's parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The request as Node has it: bodies are read from here, since those of GETs are dropped further up. */
  readonly incoming: IncomingMessage;
  readonly baseUrl: string;
  /** How the client wants to be answered. */
  readonly representation: Representation;
  /**
   * The body as JSON has it, read at most once; undefined where there is none. What came as XML is brought into the very form that JSON
   * would have.
   */
  body(): Promise<unknown>;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/** What a handler answers: a record, a text that is none, or a stream of bytes. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** In the shape that the route's `answer` names; refusals in that of `errors`. */
  readonly record?: unknown;
  /** A text in its final form, with its `Content-Type` in the headers. */
  readonly text?: string;
  /** The same as bytes, in pieces that follow each other; a large piece may be shared by many answers. */
  readonly bytes?: readonly Buffer[];
  readonly stream?: ReadableStream;
}

/** What the node server hands to the app beside the request. */
export interface Bindings {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}
