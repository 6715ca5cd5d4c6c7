import { Readable } from 'node:stream';
import type { GuardedAgent } from '../http/agent.js';
import type { HttpAnswer } from '../http/send-request.js';

/** Who is told how a request comes forward. */
export interface RequestWatch {
  /** Something has moved. */
  readonly alive: () => void;
  /** So many bytes of the body have been taken by the connection so far. */
  readonly sent?: (bytes: number) => void;
}

/** A signed request as the SDK hands it on. */
interface Request {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly method: string;
  /** Encoded already. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What the SDK sends its requests with. */
export type Handler = {
  readonly metadata: { readonly handlerProtocol: string };
  readonly handle: (request: Request, options?: { readonly abortSignal?: unknown }) => Promise<unknown>;
  readonly updateHttpClientConfig: () => void;
  readonly httpHandlerConfigs: () => object;
  readonly destroy: () => void;
};

/** Bodies go out in pieces, so that it can be seen how they come forward. */
const pieceBytes = 1 << 18;
/** Answers without a file are short; a server that goes on for ever is not listened to. */
const maxAnswerBytes = 4 << 20;

/**
 * Sends the SDK's requests through an agent of ours, whose every connection passes the guard. The SDK's own handler would look up and
 * connect by itself, and tells nothing of how a body comes forward. Requests are known by their signals.
 */
export function createHandler(agent: GuardedAgent, watches: WeakMap<object, RequestWatch>): Handler {
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
    destroy: () => undefined,
    async handle(request, options = {}) {
      const signal = options.abortSignal instanceof AbortSignal ? options.abortSignal : undefined;
      const watch = (signal && watches.get(signal)) ?? { alive: () => undefined };
      const answer = await agent.request({
        origin: originOf(request),
        path: `${request.path}${queryOf(request)}`,
        method: request.method,
        headers: headersOf(request),
        body: bodyOf(request, watch),
        ...(signal === undefined ? {} : { signal }),
      });
      watch.alive();
      const isFile = request.method === 'GET' && answer.statusCode < 300;
      const body = isFile ? answer.body : Readable.from([await shortBody(answer.body, watch)]);
      return {
        response: {
          statusCode: answer.statusCode,
          headers: plainHeaders(answer.headers),
          body,
        },
      };
    },
  };
}

function originOf({ protocol, hostname, port }: Request): string {
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`;
}

function queryOf({ query }: Request): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    (typeof value === 'object' && value !== null ? value : [value]).map((one) =>
      one === null ? encoded(name) : `${encoded(name)}=${encoded(one)}`,
    ),
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** As it was signed: more is encoded than the language itself does. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Without `Expect`: Node would wait for a leave that not every server gives; an early answer is read all the same. */
function headersOf({ headers }: Request): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'expect'));
}

function bodyOf({ body }: Request, watch: RequestWatch): string | Readable | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string') return body;
  if (!(body instanceof Uint8Array)) throw new TypeError('bodies are texts or bytes');
  return body.byteLength === 0 ? null : Readable.from(pieces(body, watch), { objectMode: false });
}

async function* pieces(bytes: Uint8Array, watch: RequestWatch): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) {
    const piece = bytes.subarray(at, at + pieceBytes);
    yield piece;
    // Asked for the next one: this one has been taken.
    watch.alive();
    watch.sent?.(at + piece.byteLength);
  }
}

async function shortBody(body: HttpAnswer['body'], watch: RequestWatch): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    watch.alive();
    bytes += piece.byteLength;
    if (bytes > maxAnswerBytes) throw new Error('the answer is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function plainHeaders(headers: HttpAnswer['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
