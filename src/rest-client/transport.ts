import { parseExactJson } from '../shared/client/parse-json.js';
import { delayAfterError, secondsOfRetryAfter } from '../shared/client/retry-delay.js';
import { isKey, serviceUrl } from '../shared/client/service-url.js';
import { abortableSleep, backoffDelayMs } from '../shared/util/timing.js';
import type { VencOptions } from './declarations.js';
import {
  addressHint,
  ConnectionError,
  invalidOption,
  TimeoutError,
  toServiceError,
  UnauthorizedError,
  VencError,
} from './errors.js';

/** The delays between attempts, in milliseconds. */
const backoff = { firstMs: 250, maxMs: 5000 };
const missingHint = 'new Venc({ url, key }), or the variables VENC_URL and VENC_API_KEY where there are any';
/** With a longer `Retry-After` a call fails instead of waiting. */
const maxWaitMs = 60_000;

/** A request. */
export interface Call {
  /** `GET` by default. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly query?: object;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly content?: Blob | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /**
   * After which errors it is repeated. `read`: all that may end soon. `change`: those after which nothing was done.
   * `create`: those as well, and at a venc daemon also when the answer was lost. By default that of the method.
   */
  readonly repeat?: 'read' | 'change' | 'create' | 'never';
  /** Milliseconds without an answer, if not those of the client. */
  readonly timeoutMs?: number;
  /** Whether a successful answer is one of an encoding service. */
  readonly isValid?: (body: unknown) => boolean;
}

/** A successful answer. `body` is the parsed JSON, null if it was empty. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** An answer whose body is read by the caller. */
export interface OpenAnswer {
  readonly response: Response;
  /** Ends the connection if nothing calls this again within the time. */
  extend(ms: number): void;
  /** Ends the connection. */
  close(): void;
}

/** Sends requests to one service. */
export class Transport {
  readonly #url: string;
  readonly #key: string;
  readonly #retries: number;
  readonly #timeoutMs: number;
  readonly #fetch: typeof fetch;
  #isVenc: boolean | null = null;

  constructor(options: VencOptions) {
    const given = options.url ?? variable('VENC_URL');
    if (!given) throw invalidOption('url', 'There is no address of a service.', missingHint);
    const url = serviceUrl(given);
    // fetch would show the user name and the password in its errors.
    if (url === null || new URL(url).username !== '' || new URL(url).password !== '')
      throw invalidOption(
        'url',
        'url is not the address of a service.',
        'use one such as https://encoding.example.com',
      );
    const key = options.key ?? variable('VENC_API_KEY');
    if (!key || !isKey(key))
      throw new UnauthorizedError(
        key ? 'The key contains spaces or other characters that no key has.' : 'There is no API key.',
        {
          code: 'unauthorized',
          field: 'key',
          hint: missingHint,
        },
      );
    this.#url = url;
    this.#key = key;
    this.#retries = options.retries ?? 4;
    this.#timeoutMs = options.timeout_ms ?? 60_000;
    // The type of the option is that of no particular runtime.
    this.#fetch = (options.fetch ?? ((to: string, init: object) => fetch(to, init))) as typeof fetch;
  }

  /** Sends a request, and resolves to the answer. Rejects with `VencError`, or with the reason of the signal. */
  call(path: string, call: Call = {}): Promise<Answer> {
    return this.#withRetries(call, async () => {
      const { response, close } = await this.#send(path, call);
      try {
        return this.#read(path, call, response, await response.text());
      } catch (error) {
        throw this.#explain(error, call);
      } finally {
        close();
      }
    });
  }

  /** Sends a request, and resolves when its headers have arrived. */
  open(path: string, call: Call = {}): Promise<OpenAnswer> {
    return this.#withRetries(call, () => this.#send(path, call));
  }

  /** Whether the service is a venc daemon. */
  async isVenc(signal?: AbortSignal): Promise<boolean> {
    try {
      const { body } = await this.call('/version', { signal });
      this.#isVenc ??= (body as { readonly name?: unknown } | null)?.name === 'venc';
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof VencError && error.status !== null && error.status < 500) this.#isVenc ??= false;
    }
    return this.#isVenc ?? false;
  }

  async #withRetries<T>(call: Call, attempt: () => Promise<T>): Promise<T> {
    const repeat = call.repeat ?? ((call.method ?? 'GET') === 'GET' ? 'read' : 'change');
    for (let failures = 1; ; failures += 1) {
      try {
        return await attempt();
      } catch (error) {
        call.signal?.throwIfAborted();
        if (!(error instanceof VencError)) throw error;
        const delayMs = failures > this.#retries ? undefined : backoffDelayMs(failures, backoff);
        const waitMs = delayAfterError(error, delayMs, maxWaitMs);
        const isLost = repeat === 'create' && mayHaveArrived(error);
        if (isLost && !(waitMs !== null && (await this.isVenc(call.signal)))) throw withLostHint(error);
        if (waitMs === null || !(isLost || mayRepeat(error, repeat))) throw error;
        await abortableSleep(waitMs, call.signal);
      }
    }
  }

  async #send(path: string, call: Call): Promise<OpenAnswer> {
    const { signal, body, content } = call;
    signal?.throwIfAborted();
    const url = new URL(this.#url + path);
    for (const [name, value] of Object.entries(call.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const controller = new AbortController();
    const abort = () => controller.abort(signal?.reason);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const extend = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(
        () => controller.abort(new TimeoutError('The service did not answer in time.', { code: 'timeout' })),
        ms,
      );
    };
    const release = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    signal?.addEventListener('abort', abort, { once: true });
    extend(call.timeoutMs ?? this.#timeoutMs);
    try {
      const response = await this.#fetch(url.href, {
        method: call.method ?? 'GET',
        headers: {
          Accept: 'application/json',
          // Services of this API read one header or the other.
          'Service-Api-Key': this.#key,
          'Zencoder-Api-Key': this.#key,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(content === undefined ? {} : { 'Content-Type': 'application/octet-stream' }),
          ...call.headers,
        },
        // A redirect would pass the key on to another host.
        redirect: 'manual',
        signal: controller.signal,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(content === undefined ? {} : { body: content }),
      });
      // In a browser a redirect has the status 0.
      if (!response.ok) throw await this.#errorOf(path, call, response);
      const close = () => {
        release();
        controller.abort();
      };
      return { response, extend, close: response.body === null ? release : close };
    } catch (error) {
      release();
      throw this.#explain(error, call);
    }
  }

  async #errorOf(path: string, { method = 'GET' }: Call, response: Response): Promise<VencError> {
    const header = response.headers.get('retry-after') ?? undefined;
    const seconds = Number(secondsOfRetryAfter(header, Date.now()) ?? Number.NaN);
    return toServiceError({
      subject: `${method} ${path}`,
      status: response.status,
      text: await response.text(),
      retryAfterSeconds: Number.isFinite(seconds) ? seconds : null,
      mask: (text) => text.replaceAll(this.#key, '***'),
    });
  }

  #read(
    path: string,
    { method = 'GET', isValid }: Call,
    { status, headers }: Response,
    text: string,
  ): Answer {
    let body: unknown = null;
    let cause: unknown;
    try {
      if (text.trim() !== '') body = parseExactJson(text);
    } catch (error) {
      cause = error;
    }
    const isExpected =
      isValid ??
      (method === 'GET' ? (value: unknown) => typeof value === 'object' && value !== null : () => true);
    if (cause === undefined && isExpected(body)) return { status, headers, body };
    throw new ConnectionError(`The answer to ${method} ${path} is not one of an encoding service.`, {
      code: 'invalid_answer',
      hint: addressHint,
      cause,
    });
  }

  /** The error of a request without a complete answer. */
  #explain(error: unknown, { signal }: Call): unknown {
    if (signal?.aborted) return signal.reason;
    if (error instanceof VencError) return error;
    const { origin } = new URL(this.#url);
    const isRefused = /ECONNREFUSED|ConnectionRefused|connection refused/i.test(textsOf(error));
    const reason = isRefused ? 'the connection was not accepted' : 'there was no complete answer';
    return new ConnectionError(`The service at ${origin} could not be reached: ${reason}.`, {
      code: isRefused ? 'refused' : 'unreachable',
      hint: 'check its address and whether it runs',
      cause: error,
    });
  }
}

/** The codes and messages of an error and of its causes. */
function textsOf(error: unknown, depth = 0): string {
  if (depth > 4 || typeof error !== 'object' || error === null) return '';
  const { code, message, cause, errors } = error as Record<string, unknown>;
  const inner = [cause, ...(Array.isArray(errors) ? errors : [])].map((one) => textsOf(one, depth + 1));
  return [code, message, ...inner].join(' ');
}

/** Whether an error may be gone at the next attempt. */
export function isTransient({ code, status }: VencError): boolean {
  if (code === 'quota') return false;
  return status === 429 || (status ?? 0) >= 500 || ['refused', 'unreachable', 'timeout'].includes(code);
}

/** Whether the service may have received the request and acted on it, although the answer does not say so. */
function mayHaveArrived({ code, status }: VencError): boolean {
  return ['unreachable', 'timeout'].includes(code) || [500, 502, 504].includes(status ?? 0);
}

function mayRepeat(error: VencError, repeat: NonNullable<Call['repeat']>): boolean {
  if (repeat === 'never') return false;
  return isTransient(error) && (repeat === 'read' || !mayHaveArrived(error));
}

function withLostHint(error: VencError): VencError {
  return Object.assign(error, {
    hint: 'the job may have been created: list the jobs before you create it again',
  });
}

/** A variable of the environment, where there is one. */
function variable(name: string): string | undefined {
  try {
    return typeof process === 'undefined' ? undefined : process.env[name];
  } catch {
    // Deno without a permission to read it.
    return undefined;
  }
}
