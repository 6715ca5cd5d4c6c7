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

/** What a session depends on. */
export interface StorageSessionOptions extends RemoteOptions {
  readonly service: StorageService;
}

/** What one request is made with. */
export interface S3RequestContext {
  readonly client: S3Client;
  /** For `abortSignal` of the request. */
  readonly signal: AbortSignal;
  /** To be called whenever something has moved. */
  readonly reportActivity: () => void;
}

/** How requests are made. */
export interface S3RequestOptions {
  readonly signal: AbortSignal;
  /** Told of the bytes of a body that have been taken: by how many requests whatsoever. */
  readonly onSent?: (bytes: number) => void;
  /** The most bytes that were moved by any attempt. */
  readonly highWaterMarkBytes?: () => number;
}

/** Regions that a bucket can point to one after the other. */
const maxRegions = 3;

/**
 * Talks to one bucket: signs with the keys of the place, follows the bucket to its region, tries again what may pass, and ends what
 * stands still. The SDK's own retries are off, and it is handed all that it would look for in files or ask a metadata service for.
 */
export class StorageSession {
  readonly #listeners = new WeakMap<object, RequestListener>();
  #region: string;
  #client: Promise<S3Client> | null = null;
  readonly #agent: GuardedAgent;

  constructor(
    readonly location: ObjectLocation,
    readonly direction: Direction,
    private readonly options: StorageSessionOptions,
  ) {
    this.#region = options.service.region;
    this.#agent = createGuardedAgent(options.guard, connectTimeoutOf(options));
  }

  /** The server, to be named. */
  get host(): string {
    return new URL(this.#endpoint()).host;
  }

  /** Makes a request until it is answered with something that is final. Rejects with the trouble there was, as an error of ours. */
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
    if (result === undefined) throw new TypeError('a request was done without an answer');
    return result;
  }

  /** Ends all connections. */
  close(): void {
    this.#agent.destroy();
  }

  async #sendOnce(
    signal: AbortSignal,
    onSent: S3RequestOptions['onSent'],
    work: (request: S3RequestContext) => Promise<void>,
  ): Promise<TransferError | null> {
    const { stallTimeoutMs } = this.options;
    const watchdogOptions = { signal, stallTimeoutMs, direction: this.direction, host: this.host };
    return withIdleTimeout(watchdogOptions, async (watchdog) => {
      this.#listeners.set(watchdog.signal, {
        reportActivity: watchdog.reportActivity,
        ...(onSent === undefined ? {} : { onSent }),
      });
      for (let regions = 1; ; regions += 1) {
        this.#client ??= this.#createClient(this.#region);
        const client = await this.#client;
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

  /** Whether the bucket is in another region than it was asked for in. */
  #followRegion(error: unknown): boolean {
    const errorResponse = parseS3Error(error);
    if (errorResponse === null || errorResponse.region === null || errorResponse.region === this.#region)
      return false;
    if (!(errorResponse.status >= 300 && errorResponse.status < 400) && errorResponse.status !== 400)
      return false;
    this.#region = errorResponse.region;
    this.#client = null;
    return true;
  }

  #endpoint(): string {
    const { endpoint } = this.options.service;
    if (endpoint !== null) return endpoint;
    const domain = this.#region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    return `https://s3.${this.#region}.${domain}`;
  }

  async #createClient(region: string): Promise<S3Client> {
    // It warns of Node 20 on stderr, once a process, when it is loaded: no news to the users of this program.
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
      requestHandler: createS3RequestHandler(this.#agent, this.#listeners),
      maxAttempts: 1,
      // Other servers of the kind know no checksums in streams.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // From here on only what it would look for in files of the user's otherwise.
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
