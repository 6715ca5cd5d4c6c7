import { Readable } from 'node:stream';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import type { Direction } from '../../transfer/disk-errors.js';
import type { TransferError } from '../../transfer/transfer-error.js';
import {
  connectTimeoutOf,
  type RemoteOptions,
  withIdleTimeout,
  withRetry,
} from '../../transfer/with-retry.js';
import { createGuardedAgent, type GuardedAgent, type GuardedResponse } from '../http/guarded-agent.js';
import type { StorageService } from '../services.js';
import { mapStorageError, parseS3Error } from './map-storage-error.js';
import type { ObjectLocation } from './object-location.js';

/** Options of a session. */
export interface StorageSessionOptions extends RemoteOptions {
  readonly service: StorageService;
}

/** The client and the signal for one request. */
export interface S3RequestContext {
  readonly client: S3Client;
  /** Pass it as `abortSignal` of the request. */
  readonly signal: AbortSignal;
  /** Resets the idle timeout. Call it whenever data was transferred. */
  readonly reportActivity: () => void;
}

/** Options of a request. */
interface S3RequestOptions {
  readonly signal: AbortSignal;
  /** Called with the number of body bytes sent in the current attempt. */
  readonly onSent?: (bytes: number) => void;
  /** Maximum number of bytes that any attempt transferred. */
  readonly highWaterMarkBytes?: () => number;
}

/** The connections to a server and the clients for it, which concurrent transfers with the same keys share. */
export interface StorageConnections {
  readonly agent: GuardedAgent;
  readonly listeners: WeakMap<object, RequestListener>;
  /** By region. */
  readonly clients: Map<string, Promise<S3Client>>;
}

/** Creates connections, which must be closed with `agent.destroy()`. */
export function createStorageConnections(options: RemoteOptions): StorageConnections {
  return {
    agent: createGuardedAgent(options.guard, connectTimeoutOf(options)),
    listeners: new WeakMap(),
    clients: new Map(),
  };
}

/** Maximum number of regions that are tried in one attempt. */
const maxRegions = 3;

/**
 * Sends requests to one bucket: signs them with the keys of the location, follows redirects to the region of the
 * bucket, retries transient errors, and aborts idle requests. The retries of the SDK are disabled. All settings are
 * passed to it, so that it reads no files and asks no metadata service.
 */
export class StorageSession {
  #region: string;
  readonly #connections: StorageConnections;

  constructor(
    readonly location: ObjectLocation,
    readonly direction: Direction,
    private readonly options: StorageSessionOptions,
    connections: StorageConnections,
  ) {
    this.#region = location.region ?? options.service.region;
    this.#connections = connections;
  }

  /** The host of the server, for messages. */
  get host(): string {
    return new URL(this.#endpoint()).host;
  }

  /** The region of the bucket, as far as it is known. */
  get region(): string {
    return this.#region;
  }

  /** Sends a request, with retries. Rejects with a `VencError`, or with the reason of the signal. */
  async send<Result>(
    work: (request: S3RequestContext) => Promise<Result>,
    { signal, onSent, highWaterMarkBytes = () => 0 }: S3RequestOptions,
  ): Promise<Result> {
    const results: Result[] = [];
    const attempt = () =>
      this.#sendOnce(signal, onSent, async (request) => {
        results.push(await work(request));
      });
    await withRetry({ attempt, highWaterMarkBytes, signal }, this.options);
    signal.throwIfAborted();
    return results[0] as Result;
  }

  async #sendOnce(
    signal: AbortSignal,
    onSent: S3RequestOptions['onSent'],
    work: (request: S3RequestContext) => Promise<void>,
  ): Promise<TransferError | null> {
    const { stallTimeoutMs } = this.options;
    const watchdogOptions = { signal, stallTimeoutMs, direction: this.direction, host: this.host };
    return withIdleTimeout(watchdogOptions, async (watchdog) => {
      this.#connections.listeners.set(watchdog.signal, {
        reportActivity: watchdog.reportActivity,
        ...(onSent === undefined ? {} : { onSent }),
      });
      for (let regions = 1; ; regions += 1) {
        const client = await this.#clientOf(this.#region);
        try {
          await work({ client, signal: watchdog.signal, reportActivity: watchdog.reportActivity });
          return null;
        } catch (error) {
          watchdog.signal.throwIfAborted();
          if (regions < maxRegions && this.#followRegion(error)) continue;
          return mapStorageError(error, this.direction, this.location, this.host);
        }
      }
    });
  }

  /** Switches to the region of an error response. Returns false if the response names no other region. */
  #followRegion(error: unknown): boolean {
    const errorResponse = parseS3Error(error);
    if (errorResponse === null || errorResponse.region === null || errorResponse.region === this.#region)
      return false;
    if (!(errorResponse.status >= 300 && errorResponse.status < 400) && errorResponse.status !== 400)
      return false;
    this.#region = errorResponse.region;
    return true;
  }

  #endpoint(): string {
    const { endpoint } = this.options.service;
    if (endpoint !== null) return endpoint;
    const domain = this.#region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    return `https://s3.${this.#region}.${domain}`;
  }

  #clientOf(region: string): Promise<S3Client> {
    const { clients } = this.#connections;
    const client = clients.get(region) ?? this.#createClient(region);
    clients.set(region, client);
    return client;
  }

  async #createClient(region: string): Promise<S3Client> {
    const { S3Client } = await import('@aws-sdk/client-s3');
    const { keys } = this.location;
    const config: S3ClientConfig = {
      region,
      endpoint: this.#endpoint(),
      forcePathStyle: this.options.service.endpoint !== null,
      credentials: {
        accessKeyId: keys?.id ?? 'none',
        secretAccessKey: keys?.secret ?? 'none',
        ...(keys?.sessionToken === undefined ? {} : { sessionToken: keys.sessionToken }),
      },
      ...(keys === null ? { signer: { sign: async (request) => request } } : {}),
      requestHandler: createS3RequestHandler(this.#connections.agent, this.#connections.listeners),
      maxAttempts: 1,
      // Some S3-compatible servers do not support checksums in streams.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // The SDK would otherwise read the following settings from files of the user.
      retryMode: 'standard',
      defaultsMode: 'standard',
      authSchemePreference: [],
      sigv4aSigningRegionSet: [],
      useDualstackEndpoint: false,
      useFipsEndpoint: false,
      useArnRegion: false,
      disableS3ExpressSessionAuth: true,
      userAgentAppId: 'venc',
    };
    return withoutVersionWarning(() => new S3Client(config));
  }
}

/**
 * On Node 20 the SDK prints a deprecation warning to stderr when the first client is created. It does not concern the
 * users of venc. The variable is set for this moment only, because the environment may be that of another program.
 */
function withoutVersionWarning<T>(create: () => T): T {
  const name = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED';
  const before = process.env[name];
  process.env[name] ??= 'true';
  try {
    return create();
  } finally {
    if (before === undefined) delete process.env[name];
  }
}

/** Receives the progress of a request. */
interface RequestListener {
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
function createS3RequestHandler(
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
