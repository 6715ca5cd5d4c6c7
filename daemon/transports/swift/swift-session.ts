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

/** What transfers from and to Swift depend on. */
export interface SwiftOptions extends Omit<RemoteOptions, 'guard'> {
  readonly guardFor: SsrfGuardFactory;
  readonly service: Services['swift'];
  readonly cleanupJournal: CleanupJournal;
  /** The largest file that goes up as one object, in bytes; the service's own limit of 5 GiB where it is not given. */
  readonly maxObjectBytes?: number;
  /** Size of the segments of larger ones, in bytes; 1 GiB where it is not given. */
  readonly segmentBytes?: number;
}

/** What is asked of Swift. */
export interface SwiftCall {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** The object; null for the container itself; the object of the session's place where it is not given. */
  readonly object?: string | null;
  /** With its question mark. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Made anew for each attempt. `alive` is to be called whenever a piece was taken. */
  readonly body?: (reportActivity: () => void) => Readable | string;
  /** Statuses beside those of success that the caller knows what to do with. */
  readonly acceptedStatuses?: readonly number[];
  /** Looks at an answer of success: null where it is fine, the trouble where another attempt is to be made. */
  readonly validate?: (response: SwiftResponse) => TransferError | null;
  /** The most bytes that any attempt has moved. */
  readonly highWaterMarkBytes?: () => number;
}

/** Calls for one transfer: logged in once, over connections of its own, which `close` ends. */
export class SwiftSession {
  #agent: GuardedAgent | null = null;
  #agentHost = '';

  constructor(
    private readonly tokenCache: TokenCache,
    readonly location: SwiftLocation,
    readonly direction: Direction,
    private readonly options: SwiftOptions,
  ) {}

  /** Calls until an answer is there that will do. Rejects with the trouble, or with the reason of the signal. */
  call(call: SwiftCall, signal: AbortSignal): Promise<SwiftResponse> {
    return this.#retry(
      (watchdog) => this.#send(call, watchdog),
      call.highWaterMarkBytes ?? (() => 0),
      signal,
    );
  }

  /** The account, logged in to where it was not. Rejects likewise. */
  account(signal: AbortSignal): Promise<SwiftAccount> {
    const operation = (watchdog: Watchdog) =>
      this.tokenCache.getAccount(this.location, watchdog, this.direction);
    return this.#retry(operation, () => 0, signal);
  }

  /** A token turned out to be good no more: the next call logs in anew. */
  forget(account: SwiftAccount): void {
    this.tokenCache.forget(this.location, account);
  }

  /** Ends the connections. */
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
    if (result === undefined) throw new TypeError('an attempt without trouble has a result');
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
