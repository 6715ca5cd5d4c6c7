import { isVencError, type VencError } from '../shared/errors.js';
import { type RouteName, routes } from '../shared/routes.js';
import { isTransientNetworkError } from './network-errors.js';

/** Waits before the second and the third try, unless `Retry-After` says otherwise. */
const retryDelaysMs = [250, 1000] as const;
/** A longer `Retry-After` is left to the person: commands do not hang. */
const maxWaitMs = 5000;

/**
 * Milliseconds to wait before a route is asked again after so many tries in vain, counted from 0; null where that is not to be done.
 * Questions are asked again after 429, 5xx and broken connections, cancels, resubmits and removals after 429 alone, since then nothing was
 * done. A create is never repeated here, as each may make a job (see `createJob`), nor an upload, whose bytes are gone.
 */
export function retryDelayFor(name: RouteName, error: unknown, attempt: number): number | null {
  if (!isVencError(error)) return null;
  const isRead = routes[name].method === 'GET';
  const isRateLimited = error.errorClass === 'TooManyRequestsError';
  const isRepeatable =
    isRead || (isRateLimited && (name === 'cancelJob' || name === 'resubmitJob' || name === 'removeJob'));
  const isTransient =
    error.errorClass === 'UnreachableError' ? isTransientNetworkError(error) : error.entry.retryable;
  return isRepeatable && isTransient ? delayAfterError(error, retryDelaysMs[attempt]) : null;
}

/**
 * Milliseconds to wait after an error: for as long as the service asks, else the delay that is due. Null where no further try is due
 * (`delayMs` is undefined), or the service asks for too long.
 */
export function delayAfterError(
  { retryAfterSeconds }: VencError,
  delayMs: number | undefined,
): number | null {
  if (delayMs === undefined) return null;
  const waitMs = retryAfterSeconds === null ? delayMs : retryAfterSeconds * 1000;
  return waitMs <= maxWaitMs ? waitMs : null;
}
