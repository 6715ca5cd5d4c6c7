import { Readable } from 'node:stream';
import type { GuardedAgent, GuardedResponse } from '../http/guarded-agent.js';

/** Who is told how a request comes forward. */
export interface RequestListener {
  /** Something has moved. */
  readonly reportActivity: () => void;
  /** So many bytes of the body have been taken by the connection so far. */
  readonly onSent?: (bytes: number) => void;
}

/** A signed request as the SDK hands it on. */
interface S3HttpRequest {
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
export type S3RequestHandler = {
  readonly metadata: { readonly handlerProtocol: string };
  readonly handle: (request: S3HttpRequest, options?: { readonly abortSignal?: unknown }) => Promise<unknown>;
  readonly updateHttpClientConfig: () => void;
  readonly httpHandlerConfigs: () => object;
  readonly destroy: () => void;
};

/** Bodies go out in pieces, so that it can be seen how they come forward. */
const chunkBytes = 1 << 18;
/** Answers without a file are short; a server that goes on for ever is not listened to. */
const maxResponseBytes = 4 << 20;

/**
 * Sends the SDK's requests through an agent of ours, whose every connection passes the guard. The SDK's own handler would look up and
 * connect by itself, and tells nothing of how a body comes forward. Requests are known by their signals.
 */
export function createS3RequestHandler(
  agent: GuardedAgent,
  listeners: WeakMap<object, RequestListener>,
): S3RequestHandler {
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    updateHttpClientConfig: () => undefined,
    httpHandlerConfigs: () => ({}),
    destroy: () => undefined,
    async handle(request, options = {}) {
      const signal = options.abortSignal instanceof AbortSignal ? options.abortSignal : undefined;
      const listener = (signal && listeners.get(signal)) ?? { reportActivity: () => undefined };
      const response = await agent.request({
        origin: originOf(request),
        path: `${request.path}${queryOf(request)}`,
        method: request.method,
        headers: headersOf(request),
        body: bodyOf(request, listener),
        ...(signal === undefined ? {} : { signal }),
      });
      listener.reportActivity();
      const isObjectBody = request.method === 'GET' && response.statusCode < 300;
      const body = isObjectBody ? response.body : Readable.from([await bufferBody(response.body, listener)]);
      return {
        response: {
          statusCode: response.statusCode,
          headers: plainHeaders(response.headers),
          body,
        },
      };
    },
  };
}

function originOf({ protocol, hostname, port }: S3HttpRequest): string {
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`;
}

function queryOf({ query }: S3HttpRequest): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    (typeof value === 'object' && value !== null ? value : [value]).map((item) =>
      item === null ? encoded(name) : `${encoded(name)}=${encoded(item)}`,
    ),
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** As it was signed: more is encoded than the language itself does. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Without `Expect`: Node would wait for a leave that not every server gives; an early answer is read all the same. */
function headersOf({ headers }: S3HttpRequest): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'expect'));
}

function bodyOf({ body }: S3HttpRequest, listener: RequestListener): string | Readable | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string') return body;
  if (!(body instanceof Uint8Array)) throw new TypeError('bodies are texts or bytes');
  return body.byteLength === 0 ? null : Readable.from(chunks(body, listener), { objectMode: false });
}

async function* chunks(bytes: Uint8Array, listener: RequestListener): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < bytes.byteLength; position += chunkBytes) {
    const chunk = bytes.subarray(position, position + chunkBytes);
    yield chunk;
    // Asked for the next one: this one has been taken.
    listener.reportActivity();
    listener.onSent?.(position + chunk.byteLength);
  }
}

async function bufferBody(body: GuardedResponse['body'], listener: RequestListener): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    listener.reportActivity();
    bytes += chunk.byteLength;
    if (bytes > maxResponseBytes) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function plainHeaders(headers: GuardedResponse['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
