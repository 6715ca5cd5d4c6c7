import { setMaxListeners } from 'node:events';
import type { Client } from './client.js';
import { discoverJobs } from './discover-jobs.js';
import { type FollowContext, type FollowEvents, FollowedJobs } from './follow-context.js';
import { JobStreams, mergeIterables } from './job-streams.js';
import { pollJobs } from './poll-jobs.js';
import {
  createPollingSchedule,
  type PollingLimits,
  type PollingSchedule,
  pollingLimitsFor,
} from './polling-schedule.js';
import { streamJobs } from './stream-jobs.js';
import { createWithRetry, toAbortError } from './with-retry.js';

/** Options of `follow`. */
export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** The service answered a moment ago, so a network error at the first request is retried as well. */
  readonly isKnownReachable?: boolean;
  /** Limits of the polling schedule; by default, those of the service's address. */
  readonly limits?: PollingLimits;
  /** The polling schedule, where it is shared with other requests. */
  readonly schedule?: PollingSchedule;
  /** Whether to follow every active job as well: until none is active, or until the signal is aborted. */
  readonly discovery?: 'until-idle' | 'always';
  /** The selected job, which is polled before the others. */
  readonly getPreferredId?: () => number | null;
}

/**
 * Follows jobs until all of them are final: by server-sent events where the service has them, otherwise by polling. Sends one request at
 * a time: at most five rounds per second to this machine, each of up to ten jobs, and one request per second elsewhere, fewer while nothing
 * changes. Up to sixty streams (six
 * elsewhere) are open besides. Network errors are retried. Throws permanent errors: a service that never answered, a rejected key, and
 * the signal's reason (`InterruptedError` unless it is a `VencError`).
 */
export async function* follow(
  client: Client,
  ids: readonly number[],
  options: FollowOptions = {},
): FollowEvents {
  const { isKnownReachable = false, limits = pollingLimitsFor(client.target.url), discovery } = options;
  const { schedule = createPollingSchedule(limits), getPreferredId = () => null } = options;
  const stopped = new AbortController();
  const signal =
    options.signal === undefined ? stopped.signal : AbortSignal.any([options.signal, stopped.signal]);
  // Each stream adds a listener: sixty of them are not a leak.
  setMaxListeners(0, signal);
  const withRetry = createWithRetry({ client, schedule, signal, isKnownReachable });
  const jobs = new FollowedJobs(ids, discovery === undefined);
  const context: FollowContext = { client, schedule, withRetry, signal, jobs, streams: new JobStreams() };
  const sources = [streamJobs(context), pollJobs(context, getPreferredId)];
  if (discovery !== undefined) sources.unshift(discoverJobs(context));
  const isDone = () => jobs.size === 0 && jobs.isDiscovered && discovery !== 'always';

  if (isDone()) return;
  try {
    for await (const event of mergeIterables(sources)) {
      jobs.apply(event);
      yield event;
      if (isDone()) return;
    }
  } catch (error) {
    throw options.signal?.aborted === true ? toAbortError(options.signal) : error;
  } finally {
    stopped.abort();
  }
}
