import { delayAfterError } from '../shared/client/retry-delay.js';
import { isVencError } from '../shared/errors.js';
import { type RouteName, routes } from '../shared/routes.js';
import { isTransientNetworkError } from './network-errors.js';

/** Delays before the second and third attempt, unless `Retry-After` asks for another delay. */
const retryDelaysMs = [250, 1000] as const;

/**
 * The delay in milliseconds before a request is retried; null if it is not retried. `attempt` counts failed attempts
 * from 0. Reads are retried after 429, 5xx and broken connections; cancels, resubmits, removals and pauses of
 * jobs only after 429, because then nothing was done. Creates are never retried here, because each may create a job (see
 * `createJobWithRetry`), and neither are uploads, whose stream is consumed.
 */
export function retryDelayFor(name: RouteName, error: unknown, attempt: number): number | null {
  if (!isVencError(error)) return null;
  const isRead = routes[name].method === 'GET';
  const isRateLimited = error.errorClass === 'TooManyRequestsError';
  const isRepeatable =
    isRead ||
    (isRateLimited && ['cancelJob', 'resubmitJob', 'removeJob', 'pauseJob', 'resumeJob'].includes(name));
  const isTransient =
    error.errorClass === 'UnreachableError' ? isTransientNetworkError(error) : error.entry.retryable;
  return isRepeatable && isTransient ? delayAfterError(error, retryDelaysMs[attempt]) : null;
}
