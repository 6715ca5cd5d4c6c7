import { isVencError, VencError } from '../shared/errors.js';
import { type RouteName, routes } from '../shared/routes.js';
import { abortableSleep } from './abortable-sleep.js';
import { type HttpResponse, sendHttpRequest } from './http.js';
import { isValidAnswer } from './is-valid-answer.js';
import { mayHaveReachedService } from './network-errors.js';
import { parseExactJson } from './parse-exact-json.js';
import { allowsKeyInQuery, buildHttpRequest, type CallOptions, subjectOf } from './requests.js';
import { retryDelayFor } from './retries.js';
import { ambiguityHint, toServiceError } from './service-errors.js';
import type { Target } from './target.js';

export type { CallOptions } from './requests.js';

/** A good answer. `body` is the parsed JSON, null where there was none. */
export interface ServiceResponse {
  readonly status: number;
  readonly body: unknown;
  header(name: string): string | undefined;
}

/** Sends calls to a target, which {@link relocate} may find anew. */
export interface Caller {
  target(): Target;
  call(route: RouteName, call?: CallOptions): Promise<ServiceResponse>;
  /** The same, resolving when a good answer begins: the caller takes its body. */
  open(route: RouteName, call?: CallOptions): Promise<HttpResponse>;
  relocate(): Promise<void>;
}

/** A caller of the service that a target names. See `Client` for the errors. */
export function createCaller(first: Target): Caller {
  let target = first;
  let isKeyInQuery = first.isKeyInQuery === true;

  /** Sends a call with its key in the header. Only after a 401 it is repeated with the key in the query, where the document has it. */
  async function sendWithKey(name: RouteName, options: CallOptions): Promise<HttpResponse> {
    const response = await sendHttpRequest(buildHttpRequest(target, name, options, isKeyInQuery));
    if (response.status !== 401 || isKeyInQuery || !allowsKeyInQuery(target, name)) return response;
    response.content.destroy();
    const repeated = await sendHttpRequest(buildHttpRequest(target, name, options, true));
    if (repeated.status !== 401) {
      isKeyInQuery = true;
      await target.rememberKeyInQuery?.();
    }
    return repeated;
  }

  async function openResponse(name: RouteName, options: CallOptions): Promise<HttpResponse> {
    const response = await withServiceHint(target, name, options, () => sendWithKey(name, options));
    if (response.status < 300 || response.status === options.acceptedStatus) return response;
    throw toServiceError(name, subjectOf(name, options), {
      status: response.status,
      body: await withServiceHint(target, name, options, response.text),
      url: target.url,
      isOwnDaemon: target.isOwnDaemon === true,
      retryAfter: secondsFrom(response.headers['retry-after']),
      location: response.headers.location,
    });
  }

  async function callOnce(name: RouteName, options: CallOptions): Promise<ServiceResponse> {
    const response = await openResponse(name, options);
    const body = await withServiceHint(target, name, options, response.text);
    return withServiceHint(target, name, options, async () =>
      toServiceResponse(target, name, response, body),
    );
  }

  async function withRetries<T>(
    name: RouteName,
    options: CallOptions,
    attempt: () => Promise<T>,
  ): Promise<T> {
    for (let attempts = 0; ; attempts += 1) {
      try {
        return await attempt();
      } catch (error) {
        const waitMs = retryDelayFor(name, error, attempts);
        if (waitMs === null) throw error;
        await abortableSleep(waitMs, options.signal);
      }
    }
  }

  return {
    target: () => target,
    open: (name, options = {}) => withRetries(name, options, () => openResponse(name, options)),
    call: (name, options = {}) => withRetries(name, options, () => callOnce(name, options)),
    relocate: async () => {
      target = (await target.locate?.().catch(() => undefined)) ?? target;
    },
  };
}

/** `Retry-After` in seconds: it may also be a time of the clock. */
function secondsFrom(header: string | undefined): string | undefined {
  if (header === undefined || /^\s*[\d.]+\s*$/.test(header)) return header;
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : String(Math.max(0, Math.ceil((time - Date.now()) / 1000)));
}

/** Adds to an outage what to do about this service, or about what may have been done there. */
async function withServiceHint<T>(
  target: Target,
  name: RouteName,
  options: CallOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!isVencError(error, 'UnreachableError')) throw error;
    const ambiguity = mayHaveReachedService(error) ? ambiguityHint(name, options.values?.id) : null;
    const hint = ambiguity ?? error.hint ?? target.hint;
    if (hint === undefined || hint === error.hint) throw error;
    throw new VencError(error.errorClass, error.message, { cause: error.cause, hint });
  }
}

/** A good answer, read. Throws `UnreachableError` where it is no JSON, or holds nothing though something was asked for. */
function toServiceResponse(
  target: Target,
  name: RouteName,
  response: HttpResponse,
  text: string,
): ServiceResponse {
  const header = (key: string) => {
    const value = response.headers[key];
    return Array.isArray(value) ? value[0] : value;
  };
  const isEmpty = response.status === 204 || text.trim() === '';
  const body = isEmpty ? null : parseBody(target, text);
  if (routes[name].method !== 'GET' || isValidAnswer(name, body))
    return { status: response.status, body, header };
  const message = `The service at ${new URL(target.url).origin} answered with nothing that could be read.`;
  throw new VencError('UnreachableError', message, {
    hint: 'check that the address leads to an encoding service',
  });
}

function parseBody(target: Target, text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    const { origin } = new URL(target.url);
    const message = /^\s*[[{]/.test(text)
      ? `The service at ${origin} answered with broken JSON.`
      : `What answers at ${origin} does not speak JSON: it is no encoding service.`;
    throw new VencError('UnreachableError', message, {
      cause: Object.assign(error as Error, { wasSent: true }),
    });
  }
}
