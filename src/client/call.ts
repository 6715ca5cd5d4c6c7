import { isVencError, VencError } from '../shared/errors.js';
import type { RouteName } from '../shared/routes.js';
import { abortableSleep } from './abortable-sleep.js';
import { type HttpResponse, sendHttpRequest } from './http.js';
import { mayHaveReachedService } from './network-errors.js';
import { type ServiceResponse, toServiceResponse } from './read-response.js';
import { allowsKeyInQuery, buildHttpRequest, type CallOptions, subjectOf } from './requests.js';
import { retryDelayFor } from './retries.js';
import { ambiguityHint, toServiceError } from './service-errors.js';
import type { Target } from './target.js';

export type { CallOptions } from './requests.js';

/** Sends calls to a target. {@link relocate} looks the target up again. */
export interface Caller {
  target(): Target;
  call(route: RouteName, call?: CallOptions): Promise<ServiceResponse>;
  /** The same, but resolves when the headers of a successful response arrive; the caller reads the body. */
  open(route: RouteName, call?: CallOptions): Promise<HttpResponse>;
  relocate(): Promise<void>;
}

/** Creates a caller of the target's service. See `Client` for the errors. */
export function createCaller(first: Target): Caller {
  let target = first;
  let isKeyInQuery = first.isKeyInQuery === true;

  /** Sends a call with its key in the header. After a 401 it is repeated with the key in the query if section 5 allows that for the route. */
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
      isOwnerKey: target.isOwnerKey === true,
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

/** `Retry-After` in seconds; the header may also be a date. */
function secondsFrom(header: string | undefined): string | undefined {
  if (header === undefined || /^\s*[\d.]+\s*$/.test(header)) return header;
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : String(Math.max(0, Math.ceil((time - Date.now()) / 1000)));
}

/** Adds a hint to a network error: what to do about this service, or how to check whether the request took effect. */
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
