import type { Readable } from 'node:stream';
import type { Direction } from '../../transfer/map-disk-error.js';
import type { Trouble } from '../../transfer/transfer-error.js';
import { connectTimeoutOf, untilDone, type Watched, withoutStall } from '../../transfer/with-retry.js';
import { createGuardedAgent, type GuardedAgent } from '../http/agent.js';
import { type SwiftAnswer, statusTrouble } from './answers.js';
import type { Logins, SwiftAccount } from './logins.js';
import { isAnswer, send } from './send.js';
import type { SwiftOptions } from './swift-options.js';
import { type SwiftPlace, swiftPath } from './swift-url.js';

/** What is asked of Swift. */
export interface SwiftCall {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** The object; null for the container itself; the object of the session's place where it is not given. */
  readonly object?: string | null;
  /** With its question mark. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Made anew for each attempt. `alive` is to be called whenever a piece was taken. */
  readonly body?: (alive: () => void) => Readable | string;
  /** Statuses beside those of success that the caller knows what to do with. */
  readonly takes?: readonly number[];
  /** Looks at an answer of success: null where it is fine, the trouble where another attempt is to be made. */
  readonly check?: (answer: SwiftAnswer) => Trouble | null;
  /** The most bytes that any attempt has moved. */
  readonly furthestBytes?: () => number;
}

/** Calls for one transfer: logged in once, over connections of its own, which `close` ends. */
export class SwiftSession {
  #agent: GuardedAgent | null = null;
  #agentHost = '';

  constructor(
    private readonly logins: Logins,
    readonly place: SwiftPlace,
    readonly direction: Direction,
    private readonly options: SwiftOptions,
  ) {}

  /** Calls until an answer is there that will do. Rejects with the trouble, or with the reason of the signal. */
  call(call: SwiftCall, signal: AbortSignal): Promise<SwiftAnswer> {
    return this.#untilThere((watched) => this.#ask(call, watched), call.furthestBytes ?? (() => 0), signal);
  }

  /** The account, logged in to where it was not. Rejects likewise. */
  account(signal: AbortSignal): Promise<SwiftAccount> {
    const work = (watched: Watched) => this.logins.account(this.place, watched, this.direction);
    return this.#untilThere(work, () => 0, signal);
  }

  /** A token turned out to be good no more: the next call logs in anew. */
  forget(account: SwiftAccount): void {
    this.logins.forget(this.place, account);
  }

  /** Ends the connections. */
  close(): void {
    this.#agent?.destroy();
    this.#agent = null;
  }

  async #untilThere<Result extends object>(
    work: (watched: Watched) => Promise<Result | Trouble>,
    furthestBytes: () => number,
    signal: AbortSignal,
  ): Promise<Result> {
    const results: Result[] = [];
    const attempt = () => {
      const { stallTimeoutMs } = this.options;
      const host = this.#agentHost === '' ? this.place.authUrl.host : this.#agentHost;
      return withoutStall({ signal, stallTimeoutMs, direction: this.direction, host }, async (watched) => {
        const found = await work(watched);
        if ('kind' in found) return found;
        results.push(found);
        return null;
      });
    };
    await untilDone({ attempt, furthestBytes, signal }, this.options);
    const [result] = results;
    if (result === undefined) throw new TypeError('an attempt without trouble has a result');
    return result;
  }

  async #ask(call: SwiftCall, watched: Watched): Promise<SwiftAnswer | Trouble> {
    const first = await this.#askOnce(call, watched);
    if (!('expired' in first)) return first;
    this.forget(first.expired);
    const second = await this.#askOnce(call, watched);
    return 'expired' in second ? statusTrouble(second.answer, this.#subject(second.expired)) : second;
  }

  async #askOnce(
    call: SwiftCall,
    watched: Watched,
  ): Promise<SwiftAnswer | Trouble | { readonly expired: SwiftAccount; readonly answer: SwiftAnswer }> {
    const { place, direction, logins } = this;
    const account = await logins.account(place, watched, direction);
    if ('kind' in account) return account;
    const { object = place.object } = call;
    const path = swiftPath(place.container, object ?? undefined);
    const request = {
      method: call.method,
      origin: account.storageUrl.origin,
      path: `${account.storageUrl.pathname}${path}${call.query ?? ''}`,
      headers: { ...call.headers, 'x-auth-token': account.token },
      ...(call.body === undefined ? {} : { body: call.body(watched.alive) }),
    };
    const answer = await send(this.#agentFor(account), request, watched, direction);
    if (!isAnswer(answer)) return answer;
    if (answer.status === 401) return { expired: account, answer };
    if (call.takes?.includes(answer.status)) return answer;
    if (answer.status < 200 || answer.status > 299) return statusTrouble(answer, this.#subject(account));
    return call.check?.(answer) ?? answer;
  }

  #agentFor({ storageUrl, exemptHosts }: SwiftAccount): GuardedAgent {
    if (this.#agent !== null && this.#agentHost === storageUrl.host) return this.#agent;
    this.close();
    const guard = this.options.guardFor(exemptHosts);
    this.#agent = createGuardedAgent(guard, connectTimeoutOf(this.options));
    this.#agentHost = storageUrl.host;
    return this.#agent;
  }

  #subject({ storageUrl }: SwiftAccount) {
    const { container, object } = this.place;
    return { host: storageUrl.host, container, object, direction: this.direction };
  }
}
