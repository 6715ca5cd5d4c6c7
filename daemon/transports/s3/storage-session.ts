import type { S3Client } from '@aws-sdk/client-s3';
import type { Direction } from '../../transfer/disk-errors.js';
import type { TransferError } from '../../transfer/transfer-error.js';
import {
  connectTimeoutOf,
  type RemoteOptions,
  withIdleTimeout,
  withRetry,
} from '../../transfer/with-retry.js';
import { createGuardedAgent, type GuardedAgent } from '../http/guarded-agent.js';
import type { StorageService } from '../services.js';
import { mapStorageError, parseS3Error } from './map-storage-error.js';
import type { ObjectLocation } from './object-location.js';
import { createS3RequestHandler, type RequestListener } from './s3-request-handler.js';

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
    const [result] = results;
    if (result === undefined) throw new TypeError('a request succeeded without a result');
    return result;
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
    // On Node 20 the SDK prints a deprecation warning to stderr when it is loaded. It does not concern the users of
    // venc.
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
    const { S3Client } = await import('@aws-sdk/client-s3');
    const { keys } = this.location;
    return new S3Client({
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
    });
  }
}
