import type { IncomingMessage } from 'node:http';

/** What a handler gets to see of a request. */
export interface Exchange {
  readonly method: string;
  readonly url: URL;
  /** Values of the path's parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The request as Node has it: bodies are read from here, since those of GETs are dropped further up. */
  readonly incoming: IncomingMessage;
  readonly baseUrl: string;
  /** The body as JSON, read at most once; undefined where there is none. */
  readonly body: () => Promise<unknown>;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/** What a handler answers: a record, or a stream of bytes. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly record?: unknown;
  readonly stream?: ReadableStream;
}
