import { Readable } from 'node:stream';
import type { GuardedAgent, GuardedResponse } from '../http/guarded-agent.js';

/** Receives the progress of a request. */
export interface RequestListener {
  /** Called whenever data was transferred. */
  readonly reportActivity: () => void;
  /** Called with the number of body bytes sent so far. */
  readonly onSent?: (bytes: number) => void;
}

/** A signed request of the SDK. */
interface S3HttpRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly method: string;
  /** Percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The request handler interface of the SDK. */
type S3RequestHandler = {
  readonly metadata: { readonly handlerProtocol: string };
  readonly handle: (request: S3HttpRequest, options?: { readonly abortSignal?: unknown }) => Promise<unknown>;
  readonly updateHttpClientConfig: () => void;
  readonly httpHandlerConfigs: () => object;
  readonly destroy: () => void;
};

/** Bodies are sent in chunks of this size, so that progress is visible. */
const chunkBytes = 1 << 18;
/** Maximum size of a response without a file. */
const maxResponseBytes = 4 << 20;

/**
 * Sends the requests of the SDK through a guarded agent. The handler of the SDK would resolve and connect without the
 * guard, and does not report the progress of a body. `listeners` are keyed by the abort signal of the request.
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

/** Percent-encodes like the signature, which encodes more characters than `encodeURIComponent`. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Removes `Expect`: Node would wait for 100 Continue, which some servers never send. An early response is read anyway.
 */
function headersOf({ headers }: S3HttpRequest): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'expect'));
}

function bodyOf({ body }: S3HttpRequest, listener: RequestListener): string | Readable | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string') return body;
  if (!(body instanceof Uint8Array)) throw new TypeError('a body must be a string or bytes');
  return body.byteLength === 0 ? null : Readable.from(chunks(body, listener), { objectMode: false });
}

async function* chunks(bytes: Uint8Array, listener: RequestListener): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < bytes.byteLength; position += chunkBytes) {
    const chunk = bytes.subarray(position, position + chunkBytes);
    yield chunk;
    // The connection requested the next chunk, so it has consumed this one.
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
    if (bytes > maxResponseBytes) throw new Error('the response is too long');
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
