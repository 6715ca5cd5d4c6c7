import type { IncomingMessage } from 'node:http';
import type { Representation } from '../../src/shared/routes.js';
import { readBody } from './body.js';
import type { RequestContext } from './request-context.js';

/** What an exchange is made of. */
export interface RequestContextParts {
  readonly method: string;
  /** The whole address, as text. */
  readonly address: string;
  readonly incoming: IncomingMessage;
  /** Address that hosted files are announced under; null for the one that the client used. */
  readonly publicUrl: string | null;
  readonly params: Readonly<Record<string, string>>;
  readonly representation: Representation;
  /** Asked for only by what needs it: it costs more than the rest. */
  readonly signal: () => AbortSignal;
}

/** An exchange whose dearer parts are made when they are first asked for, as most answers need none of them. */
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
