import type { Readable } from 'node:stream';
import type { CleanupJournal } from '../../transfer/cleanup-journal.js';
import type { Direction } from '../../transfer/disk-errors.js';
import type { TransferError } from '../../transfer/transfer-error.js';
import {
  connectTimeoutOf,
  type RemoteOptions,
  type Watchdog,
  withIdleTimeout,
  withRetry,
} from '../../transfer/with-retry.js';
import { createGuardedAgent, type GuardedAgent } from '../http/guarded-agent.js';
import type { Services } from '../services.js';
import {
  errorOfSwiftStatus,
  isSwiftResponse,
  type SwiftResponse,
  sendSwiftRequest,
} from './send-swift-request.js';
import { type SwiftLocation, swiftPath } from './swift-url.js';
import type { SsrfGuardFactory, SwiftAccount, TokenCache } from './token-cache.js';

/** Options of transfers from and to Swift. */
export interface SwiftOptions extends Omit<RemoteOptions, 'guard'> {
  readonly guardFor: SsrfGuardFactory;
  readonly service: Services['swift'];
  readonly cleanupJournal: CleanupJournal;
  /** Maximum size of a single object, in bytes; by default the limit of the service, 5 GiB. */
  readonly maxObjectBytes?: number;
  /** Size of the segments of larger files, in bytes; 1 GiB by default. */
  readonly segmentBytes?: number;
}

/** A request of a session. */
export interface SwiftCall {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** Name of the object; null for the container; the object of the session by default. */
  readonly object?: string | null;
  /** Query string with its question mark. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Creates the body for each attempt. It must call `reportActivity` whenever a chunk was consumed. */
  readonly body?: (reportActivity: () => void) => Readable | string;
  /** Error statuses that the caller handles. */
  readonly acceptedStatuses?: readonly number[];
  /** Validates a successful response. Returns null if it is valid, or the error to retry. */
  readonly validate?: (response: SwiftResponse) => TransferError | null;
  /** Maximum number of bytes that any attempt transferred. */
  readonly highWaterMarkBytes?: () => number;
}

/** Sends the requests of one transfer with a cached login. `close` closes its connections. */
export class SwiftSession {
  #agent: GuardedAgent | null = null;
  #agentHost = '';

  constructor(
    private readonly tokenCache: TokenCache,
    readonly location: SwiftLocation,
    readonly direction: Direction,
    private readonly options: SwiftOptions,
  ) {}

  /** Sends a request, with retries. Rejects with the last error, or with the reason of the signal. */
  call(call: SwiftCall, signal: AbortSignal): Promise<SwiftResponse> {
    return this.#retry(
      (watchdog) => this.#send(call, watchdog),
      call.highWaterMarkBytes ?? (() => 0),
      signal,
    );
  }

  /** Returns the account, and logs in if necessary. Rejects like `call`. */
  account(signal: AbortSignal): Promise<SwiftAccount> {
    const operation = (watchdog: Watchdog) =>
      this.tokenCache.getAccount(this.location, watchdog, this.direction);
    return this.#retry(operation, () => 0, signal);
  }

  /** Removes an expired token from the cache. The next request logs in again. */
  forget(account: SwiftAccount): void {
    this.tokenCache.forget(this.location, account);
  }

  /** Closes the connections. */
  close(): void {
    this.#agent?.destroy();
    this.#agent = null;
  }

  async #retry<Result extends object>(
    operation: (watchdog: Watchdog) => Promise<Result | TransferError>,
    highWaterMarkBytes: () => number,
    signal: AbortSignal,
  ): Promise<Result> {
    const results: Result[] = [];
    const attempt = () => {
      const { stallTimeoutMs } = this.options;
      const host = this.#agentHost === '' ? this.location.authUrl.host : this.#agentHost;
      return withIdleTimeout(
        { signal, stallTimeoutMs, direction: this.direction, host },
        async (watchdog) => {
          const outcome = await operation(watchdog);
          if ('kind' in outcome) return outcome;
          results.push(outcome);
          return null;
        },
      );
    };
    await withRetry({ attempt, highWaterMarkBytes, signal }, this.options);
    const [result] = results;
    if (result === undefined) throw new TypeError('an attempt succeeded without a result');
    return result;
  }

  async #send(call: SwiftCall, watchdog: Watchdog): Promise<SwiftResponse | TransferError> {
    const first = await this.#sendOnce(call, watchdog);
    if (!('expired' in first)) return first;
    this.forget(first.expired);
    const second = await this.#sendOnce(call, watchdog);
    return 'expired' in second ? errorOfSwiftStatus(second.response, this.#target(second.expired)) : second;
  }

  async #sendOnce(
    call: SwiftCall,
    watchdog: Watchdog,
  ): Promise<
    SwiftResponse | TransferError | { readonly expired: SwiftAccount; readonly response: SwiftResponse }
  > {
    const { location, direction, tokenCache } = this;
    const account = await tokenCache.getAccount(location, watchdog, direction);
    if ('kind' in account) return account;
    const { object = location.object } = call;
    const path = swiftPath(location.container, object ?? undefined);
    const request = {
      method: call.method,
      origin: account.storageUrl.origin,
      path: `${account.storageUrl.pathname}${path}${call.query ?? ''}`,
      headers: { ...call.headers, 'x-auth-token': account.token },
      ...(call.body === undefined ? {} : { body: call.body(watchdog.reportActivity) }),
    };
    const response = await sendSwiftRequest(this.#agentFor(account), request, watchdog, direction);
    if (!isSwiftResponse(response)) return response;
    if (response.status === 401) return { expired: account, response };
    if (call.acceptedStatuses?.includes(response.status)) return response;
    if (response.status < 200 || response.status > 299)
      return errorOfSwiftStatus(response, this.#target(account));
    return call.validate?.(response) ?? response;
  }

  #agentFor({ storageUrl, exemptHosts }: SwiftAccount): GuardedAgent {
    if (this.#agent !== null && this.#agentHost === storageUrl.host) return this.#agent;
    this.close();
    const guard = this.options.guardFor(exemptHosts);
    this.#agent = createGuardedAgent(guard, connectTimeoutOf(this.options));
    this.#agentHost = storageUrl.host;
    return this.#agent;
  }

  #target({ storageUrl }: SwiftAccount) {
    const { container, object } = this.location;
    return { host: storageUrl.host, container, object, direction: this.direction };
  }
}
