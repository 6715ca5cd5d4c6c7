import type { S3Client } from '@aws-sdk/client-s3';
import type { Direction } from '../../transfer/map-disk-error.js';
import type { Trouble } from '../../transfer/transfer-error.js';
import { connectTimeoutOf, type RemoteOptions, untilDone, withoutStall } from '../../transfer/with-retry.js';
import { createGuardedAgent, type GuardedAgent } from '../http/agent.js';
import type { StorageService } from '../services.js';
import { createHandler, type RequestWatch } from './handler.js';
import type { BucketPlace } from './place.js';
import { refusalOf, storageTrouble } from './trouble.js';

/** What a session depends on. */
export interface StorageOptions extends RemoteOptions {
  readonly service: StorageService;
}

/** What one request is made with. */
export interface Requesting {
  readonly client: S3Client;
  /** For `abortSignal` of the request. */
  readonly signal: AbortSignal;
  /** To be called whenever something has moved. */
  readonly alive: () => void;
}

/** How requests are made. */
export interface RequestOptions {
  readonly signal: AbortSignal;
  /** Told of the bytes of a body that have been taken: by how many requests whatsoever. */
  readonly sent?: (bytes: number) => void;
  /** The most bytes that were moved by any attempt. */
  readonly furthestBytes?: () => number;
}

/** Regions that a bucket can point to one after the other. */
const maxRegions = 3;

/**
 * Talks to one bucket: signs with the keys of the place, follows the bucket to its region, tries again what may pass, and ends what
 * stands still. The SDK's own retries are off, and it is handed all that it would look for in files or ask a metadata service for.
 */
export class StorageSession {
  readonly #watches = new WeakMap<object, RequestWatch>();
  #region: string;
  #client: Promise<S3Client> | null = null;
  readonly #agent: GuardedAgent;

  constructor(
    readonly place: BucketPlace,
    readonly direction: Direction,
    private readonly options: StorageOptions,
  ) {
    this.#region = options.service.region;
    this.#agent = createGuardedAgent(options.guard, connectTimeoutOf(options));
  }

  /** The server, to be named. */
  get host(): string {
    return new URL(this.#endpoint()).host;
  }

  /** Makes a request until it is answered with something that is final. Rejects with the trouble there was, as an error of ours. */
  async ask<Answer>(
    work: (requesting: Requesting) => Promise<Answer>,
    { signal, sent, furthestBytes = () => 0 }: RequestOptions,
  ): Promise<Answer> {
    const answers: Answer[] = [];
    const attempt = () =>
      this.#attempt(signal, sent, async (requesting) => {
        answers.push(await work(requesting));
      });
    await untilDone({ attempt, furthestBytes, signal }, this.options);
    signal.throwIfAborted();
    const [answer] = answers;
    if (answer === undefined) throw new TypeError('a request was done without an answer');
    return answer;
  }

  /** Ends all connections. */
  close(): void {
    this.#agent.destroy();
  }

  async #attempt(
    signal: AbortSignal,
    sent: RequestOptions['sent'],
    work: (requesting: Requesting) => Promise<void>,
  ): Promise<Trouble | null> {
    const { stallTimeoutMs } = this.options;
    const watch = { signal, stallTimeoutMs, direction: this.direction, host: this.host };
    return withoutStall(watch, async (watched) => {
      this.#watches.set(watched.signal, { alive: watched.alive, ...(sent === undefined ? {} : { sent }) });
      for (let regions = 1; ; regions += 1) {
        this.#client ??= this.#open(this.#region);
        const client = await this.#client;
        try {
          await work({ client, signal: watched.signal, alive: watched.alive });
          return null;
        } catch (error) {
          watched.signal.throwIfAborted();
          if (regions < maxRegions && this.#follow(error)) continue;
          return storageTrouble(error, this.direction, this.place, this.host);
        }
      }
    });
  }

  /** Whether the bucket is in another region than it was asked for in. */
  #follow(error: unknown): boolean {
    const refusal = refusalOf(error);
    if (refusal === null || refusal.region === null || refusal.region === this.#region) return false;
    if (!(refusal.status >= 300 && refusal.status < 400) && refusal.status !== 400) return false;
    this.#region = refusal.region;
    this.#client = null;
    return true;
  }

  #endpoint(): string {
    const { endpoint } = this.options.service;
    if (endpoint !== null) return endpoint;
    const domain = this.#region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    return `https://s3.${this.#region}.${domain}`;
  }

  async #open(region: string): Promise<S3Client> {
    // It warns of Node 20 on stderr, once a process, when it is loaded: no news to the users of this program.
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
    const { S3Client } = await import('@aws-sdk/client-s3');
    const { keys } = this.place;
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
      requestHandler: createHandler(this.#agent, this.#watches),
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
