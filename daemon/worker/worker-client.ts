import type { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { type ErrorClass, isErrorClass } from '../../src/shared/error-classes.js';
import { VencError } from '../../src/shared/errors.js';
import { inScope } from '../../src/shared/util/error-scope.js';
import { isObject } from '../../src/shared/util/is-object.js';
import { type Backoff, backoffDelayMs, timeoutSignal } from '../../src/shared/util/timing.js';
import type { SavedCredentials } from '../jobs/saved-credentials.js';
import { createSsrfGuard, type SsrfGuard } from '../net/ssrf-guard.js';
import { delay } from '../queue/retry-until-persisted.js';
import { isNotTls, mapConnectionError } from '../transfer/transfer-error.js';
import { createGuardedAgent, type GuardedResponse } from '../transports/http/guarded-agent.js';

/** Options of a client. */
interface WorkerClientOptions {
  /** The URL of the daemon, without a path of the protocol. */
  readonly url: URL;
  readonly token: string;
  /** How long one request may take, in milliseconds. */
  readonly timeoutMs?: number;
}

/** One request. `path` is below `/worker/v1`. */
interface WorkerRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** The token of the claim, if the request is about one. */
  readonly claim?: string;
  readonly json?: unknown;
  readonly body?: Readable;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Overrides the time limit of the client; null for none. */
  readonly timeoutMs?: number | null;
}

/** A successful answer. `json` is undefined without a body. */
interface WorkerAnswer {
  readonly status: number;
  readonly headers: GuardedResponse['headers'];
  readonly json: unknown;
}

/** A request that got no useful answer. */
export class WorkerRequestError extends Error {
  override readonly name = 'WorkerRequestError';

  constructor(
    /** The error for people. */
    readonly reported: VencError,
    readonly details: {
      /** The status of the answer; null if there was none. */
      readonly status: number | null;
      /** Whether the same request may succeed later. */
      readonly isTransient: boolean;
      readonly retryAfterMs: number | null;
    },
  ) {
    super(reported.message, { cause: reported });
  }
}

/** The error for people of a failed request; other errors unchanged. */
export function reportedError(error: unknown): unknown {
  return error instanceof WorkerRequestError ? error.reported : error;
}

/** A client of the protocol of workers. Makes single requests; the callers decide about retries. */
export interface WorkerClient {
  /** The URL of the daemon, as it is shown. */
  readonly url: string;
  /** The guard of connections to the daemon: its address comes from the user, so it may be private. */
  readonly guard: SsrfGuard;
  /** Makes a request. Rejects with `WorkerRequestError`, or with the reason of the signal. */
  send(request: WorkerRequest): Promise<WorkerAnswer>;
  /** The address and the headers of a request, for a transfer over connections of its own. */
  target(
    path: string,
    claim: string,
  ): { readonly url: URL; readonly headers: Readonly<Record<string, string>> };
  /** Closes all connections. */
  close(): void;
}

const defaultTimeoutMs = 15_000;
const connectTimeoutMs = 8_000;

/** Creates a client. Its requests open no connection before they are made. */
export function createWorkerClient(options: WorkerClientOptions): WorkerClient {
  const guard = createSsrfGuard({ allowPrivateNetwork: true });
  const agent = createGuardedAgent(guard, connectTimeoutMs);
  const base = options.url.href.replace(/[?#].*$/, '').replace(/\/+$/, '');
  const { host } = options.url;
  const headersOf = (claim: string | undefined) => ({
    authorization: `Bearer ${options.token}`,
    ...(claim === undefined ? {} : { 'venc-claim': claim }),
  });
  return {
    url: base,
    guard,
    target: (path, claim) => ({ url: new URL(`${base}/worker/v1${path}`), headers: headersOf(claim) }),
    async send(request) {
      const { signal, timeoutMs = options.timeoutMs ?? defaultTimeoutMs } = request;
      signal?.throwIfAborted();
      const url = new URL(`${base}/worker/v1${request.path}`);
      const text = request.json === undefined ? null : JSON.stringify(request.json);
      const limit = withTimeout(signal, timeoutMs);
      try {
        const response = await agent.request({
          method: request.method,
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          headers: {
            ...headersOf(request.claim),
            accept: 'application/json',
            'user-agent': 'venc',
            ...(text === null ? {} : { 'content-type': 'application/json' }),
            ...request.headers,
          },
          body: request.body ?? text,
          signal: limit.signal,
        });
        const body = request.method === 'HEAD' ? discard(response) : await readText(response.body);
        return readAnswer(response, body, host);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof WorkerRequestError) throw error;
        throw connectionError(error, options.url);
      } finally {
        limit.clear();
      }
    },
    close: () => agent.destroy(),
  };
}

/**
 * A signal that is aborted with another one, or after a time. Not `AbortSignal.any` with `AbortSignal.timeout`: Node
 * may collect the timeout, and a request that gets no answer would wait for ever.
 */
function withTimeout(
  signal: AbortSignal | undefined,
  timeoutMs: number | null,
): { readonly signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer =
    timeoutMs === null
      ? null
      : setTimeout(
          inScope(() => controller.abort(new DOMException('no answer in time', 'TimeoutError'))),
          timeoutMs,
        );
  return {
    signal: controller.signal,
    clear() {
      if (timer !== null) clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

function discard({ body }: GuardedResponse): string {
  body.resume();
  return '';
}

/** Reads an answer. Throws `WorkerRequestError` for every status that is not 2xx, and for what is not JSON. */
function readAnswer(
  { statusCode: status, headers }: GuardedResponse,
  text: string,
  host: string,
): WorkerAnswer {
  const json = parseJson(text);
  if (status >= 200 && status < 300 && json !== null) return { status, headers, json: json.value };
  const isTransient = status === 408 || status === 425 || status === 429 || status >= 500;
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  throw new WorkerRequestError(errorOf(status, json?.value, host), {
    status,
    isTransient,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : null,
  });
}

function parseJson(text: string): { readonly value: unknown } | null {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

const errorClassOfStatus: Readonly<Record<number, ErrorClass>> = {
  403: 'ForbiddenError',
  404: 'NotFoundError',
  409: 'ConflictError',
  413: 'PayloadTooLargeError',
  429: 'TooManyRequestsError',
  503: 'UnavailableError',
};

/** What to do about a token that the daemon does not accept. */
export const tokenAdvice =
  'Set VENC_WORKER_TOKEN to a key that "venc keys create --worker" printed on the machine of the daemon.';

/** The error of an answer with this status: what the daemon says, and otherwise what the status means for a worker. */
function errorOf(status: number, json: unknown, host: string): VencError {
  if (status === 401) {
    const message = `${host} does not accept the token of this worker: it is wrong or was revoked.`;
    return new VencError('UnauthorizedError', message, { hint: tokenAdvice });
  }
  const said = messageOf(json);
  const fallback = status >= 500 ? 'UnreachableError' : 'UsageError';
  const errorClass = classOf(json) ?? errorClassOfStatus[status] ?? fallback;
  return new VencError(errorClass, said ?? `${host} answered with status ${status}.`);
}

function messageOf(json: unknown): string | null {
  if (!isObject(json) || !Array.isArray(json.errors)) return null;
  const messages = json.errors.filter((message) => typeof message === 'string');
  return messages.length === 0 ? null : messages.join(' ');
}

function classOf(json: unknown): ErrorClass | null {
  if (!isObject(json)) return null;
  const { errorClass } = json;
  return typeof errorClass === 'string' && isErrorClass(errorClass) ? errorClass : null;
}

function connectionError(error: unknown, { host }: URL): WorkerRequestError {
  if (isNotTls(error)) {
    const message = `${host} does not speak TLS: the URL of --join says https:, and plain HTTP is served there.`;
    const hint = `Use http://${host} on the same machine or, in a network that you trust, with --allow-plain-http; or give the port at which a proxy or the daemon speaks TLS.`;
    const reported = new VencError('UnreachableError', message, { cause: error, hint });
    return new WorkerRequestError(reported, { status: null, isTransient: false, retryAfterMs: null });
  }
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  const mapped = mapConnectionError(error, host, 'download');
  const message = isLate ? `${host} did not answer in time.` : mapped.error.message;
  const reported = new VencError('UnreachableError', message, {
    cause: error,
    hint: 'Check the URL of --join, and that the daemon runs there and is reachable from this machine.',
  });
  const isTransient = isLate || mapped.kind !== 'permanent';
  return new WorkerRequestError(reported, { status: null, isTransient, retryAfterMs: null });
}

/** Delays between the attempts to reach the daemon: short, so that a worker is back soon after the daemon is. */
const backoff: Backoff = { firstMs: 250, maxMs: 5_000 };
/** The longest `Retry-After` that is respected. */
const maxRetryAfterMs = 30_000;

/** Options of `untilAnswered`. */
interface UntilAnsweredOptions {
  /** Ends the attempts. */
  readonly signal: AbortSignal;
  /** Called after each failure that is followed by another attempt, with the number of failures in a row. */
  readonly onFailure?: (error: WorkerRequestError, failures: number) => void;
}

/**
 * Repeats a request until the daemon has answered it: while it cannot be reached, is too busy, or a proxy answers
 * instead of it. Rejects with `WorkerRequestError` if the daemon rejects the request, and with the reason of the
 * signal.
 */
export async function untilAnswered<T>(
  send: () => Promise<T>,
  { signal, onFailure }: UntilAnsweredOptions,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    try {
      return await send();
    } catch (error) {
      if (!isUnanswered(error)) throw error;
      onFailure?.(error, failures);
      await delay(retryDelayMs(error, failures), signal);
    }
  }
}

/** Whether the daemon has not answered a request, so that it can be repeated. */
export function isUnanswered(error: unknown): error is WorkerRequestError {
  return error instanceof WorkerRequestError && (error.details.isTransient || error.details.status === null);
}

/** How long to wait after the given number of failures in a row, in milliseconds. */
export function retryDelayMs(error: unknown, failures: number): number {
  const requested = error instanceof WorkerRequestError ? (error.details.retryAfterMs ?? 0) : 0;
  return Math.max(Math.min(requested, maxRetryAfterMs), backoffDelayMs(failures, backoff));
}

/** The claim for whose job a worker asks something. */
export interface ClaimRef {
  readonly jobId: number;
  readonly token: string;
  /** Ends when the run does. */
  readonly signal: AbortSignal;
}

/**
 * The saved credentials of the account of a job, which the daemon sends when a transfer needs them. The worker keeps
 * none: each transfer asks again.
 */
export function createRemoteCredentials(
  client: Pick<WorkerClient, 'send'>,
  { jobId, token, signal }: ClaimRef,
): SavedCredentials {
  return {
    // The daemon checked the request when it was created.
    check: async () => null,
    async find({ scheme, name }) {
      const json = { scheme, name };
      const path = `/claims/${jobId}/credentials`;
      // Not ended with the run: files that it delivered are removed after it was stopped.
      const ended = signal.aborted ? timeoutSignal(rollbackTimeoutMs) : signal;
      const send = () => client.send({ method: 'POST', path, claim: token, json });
      const answer = await untilAnswered(send, { signal: ended }).catch((error: unknown) => {
        throw reportedError(error);
      });
      return answer.status === 204
        ? null
        : (answer.json as { readonly user: string; readonly secret: string });
    },
  };
}

/** How long the removal of delivered files waits for a daemon, in milliseconds. */
const rollbackTimeoutMs = 5_000;
