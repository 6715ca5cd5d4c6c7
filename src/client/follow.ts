import { setMaxListeners } from 'node:events';
import { progressOfJob } from '../shared/client/normalise.js';
import { isVencError, VencError } from '../shared/errors.js';
import type { JobRecord } from '../shared/records.js';
import { isFinal } from '../shared/states.js';
import type { Client } from './client.js';
import { discoverJobs, findActiveJobs, jobsPerPage, listJobs } from './discover-jobs.js';
import { canFollowChanges, followChanges, openUpdates } from './follow-changes.js';
import {
  type FollowContext,
  type FollowEvent,
  type FollowEvents,
  FollowedJobs,
  isolateJobErrors,
  reportProgress,
} from './follow-context.js';
import type { FollowedProgress } from './job-progress.js';
import { JobStreams, mergeIterables } from './job-streams.js';
import {
  createPollingSchedule,
  createWithRetry,
  maxStreamsFor,
  type PollingLimits,
  type PollingSchedule,
  pollingLimitsFor,
  toAbortError,
} from './polling-schedule.js';

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
 * Follows jobs until all of them are final: by server-sent events where the service has them, otherwise by polling.
 * Several jobs share one stream where the service has that. Elsewhere, up to sixty streams are open (six to another
 * machine) besides the requests, which are sent one at a time: at most five rounds per second to this machine, each of
 * up to ten jobs, and one request per second to others, fewer while nothing changes. One request before that finds out
 * which service it is. Network errors are retried. Throws permanent errors: a service that never answered, a rejected
 * key, and the signal's reason (`InterruptedError` unless it is a `VencError`).
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
  const isDone = () => jobs.size === 0 && jobs.isDiscovered && discovery !== 'always';

  /** One stream for all jobs, if the service has that. Resolves to the newest jobs if they were listed. */
  async function* together(): AsyncGenerator<FollowEvent, readonly JobRecord[] | null, undefined> {
    if (!canFollowChanges(jobs.ids, discovery !== undefined)) return null;
    const onlyIds = discovery === undefined ? jobs.ids : undefined;
    const opening = openUpdates(context, onlyIds);
    const newest = discovery === undefined ? null : yield* findActiveJobs(context);
    const updates = await opening;
    if (updates !== null) yield* followChanges(context, { updates, ids: onlyIds, newest: newest ?? [] });
    return newest;
  }

  /** One stream for each job, or polling. */
  function separately(newest: readonly JobRecord[] | null): FollowEvents {
    const sources = [streamJobs(context), pollJobs(context, getPreferredId)];
    const intervalMs = limits.discoveryIntervalMs ?? limits.maxIntervalMs;
    if (discovery !== undefined) sources.unshift(discoverJobs(context, intervalMs, newest));
    return mergeIterables(sources);
  }

  async function* events(): FollowEvents {
    yield* separately(yield* together());
  }

  if (isDone()) return;
  try {
    for await (const event of events()) {
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

/** Reports what the open streams receive. Never ends: a stream that is over is removed, and polling opens it again. */
async function* streamJobs(context: FollowContext): FollowEvents {
  const { schedule, jobs, streams } = context;
  for (;;) {
    await streams.waitForUpdates();
    for (const { id, job, hasEnded, retryMs } of streams.drain()) {
      if (jobs.has(id)) {
        const isOver = job !== null && isFinal(job.state);
        if (hasEnded && !isOver) schedule.endRound(job !== null, retryMs);
        if (job !== null) yield* isolateJobErrors(id, reportProgress(context, job));
      }
      if (!hasEnded) continue;
      streams.remove(id);
      jobs.notifyChange();
    }
  }
}

/** From this many jobs on, one list is cheaper than a request per job. */
const minJobsForList = 4;
/** The list is fetched again after this many requests: it shows the end of many jobs at once. */
const maxJobsPerRound = 10;

/**
 * Polls the jobs that have no stream, and opens their streams where the service has them. Ends only with an error;
 * waits while every job has a stream.
 */
async function* pollJobs(context: FollowContext, getPreferredId: () => number | null): FollowEvents {
  const { client, schedule, withRetry, signal, jobs, streams } = context;
  const maxStreams = maxStreamsFor(client.target.url);
  const waitForSlot = () => schedule.waitForSlot(signal);
  const requestedAt = new Map<number, number>();
  const fingerprints = new Map<number, string>();
  /** Whether the service has streams; null until its first answer. */
  let hasStreams: boolean | null = null;
  const canOpenStream = () => hasStreams !== false && streams.size < maxStreams;
  const unstreamedIds = () => jobs.ids.filter((id) => !streams.has(id));

  async function* requestJob(id: number): FollowEvents {
    if (!jobs.has(id) || streams.has(id)) return;
    requestedAt.set(id, performance.now());
    if (!canOpenStream()) {
      const job = yield* withRetry(() => client.jobProgress(id, signal, waitForSlot));
      yield* reportProgress(context, job);
      return;
    }
    const options = { eventId: streams.eventId(id), signal, waitForSlot };
    const updates = yield* withRetry(() => client.jobUpdates(id, options));
    hasStreams ??= updates.kind === 'events';
    if (updates.kind === 'events') streams.add(id, updates);
    else yield* reportProgress(context, updates.job);
  }

  /** The preferred job first, then those whose last request is longest ago. */
  function byUrgency(ids: readonly number[]): readonly number[] {
    const preferred = getPreferredId();
    const lastRequestedAt = (id: number) =>
      id === preferred ? Number.NEGATIVE_INFINITY : (requestedAt.get(id) ?? 0);
    return ids.toSorted((a, b) => lastRequestedAt(a) - lastRequestedAt(b));
  }

  async function* pollRound(listed: ReadonlyMap<number, JobRecord>): FollowEvents {
    const waitingIds: number[] = [];
    const otherIds: number[] = [];
    for (const id of unstreamedIds()) {
      const job = listed.get(id);
      if (job === undefined || job.state === 'processing') otherIds.push(id);
      else if (isFinal(job.state)) yield { type: 'final', job };
      else {
        waitingIds.push(id);
        yield { type: 'progress', job: { id, ...progressOfJob(job, new Map()) } };
      }
    }
    for (const id of byUrgency(otherIds).slice(0, maxJobsPerRound))
      yield* isolateJobErrors(id, requestJob(id));
    // The list shows all there is about a waiting job. Its stream is opened only where every job can have one.
    if (jobs.size > maxStreams) return;
    for (const id of waitingIds) if (canOpenStream()) yield* isolateJobErrors(id, requestJob(id));
  }

  for (;;) {
    if (!jobs.isDiscovered || unstreamedIds().length === 0) {
      await jobs.waitForChange(signal);
      continue;
    }
    const startedAt = performance.now();
    await schedule.waitUntilDue(signal);
    let list = jobs.listSince(startedAt);
    if (list.length === 0 && unstreamedIds().length >= minJobsForList)
      list = yield* listJobs(context, { perPage: jobsPerPage });
    let hasChanged = false;
    for await (const event of pollRound(new Map(list.map((job) => [job.id, job])))) {
      if (event.type === 'progress') {
        const current = fingerprint(event.job);
        hasChanged ||= fingerprints.get(event.job.id) !== current;
        fingerprints.set(event.job.id, current);
      }
      yield event;
    }
    // While the maximum number of streams is open they report enough, so the other jobs are polled slowly.
    if (unstreamedIds().length > 0) schedule.endRound(hasChanged && streams.size < maxStreams);
  }
}

/** Identifies what counts as a change: states and whole percents. */
function fingerprint(job: FollowedProgress): string {
  const files = [job.input, ...job.outputs].map((file) => `${file.state} ${Math.floor(file.progress)}`);
  return [job.state, ...files].join();
}

/**
 * Requests each job once, for a timeout that leaves no time to follow them. Throws `TimedOutError` at the end if a job
 * is not final, and otherwise what `follow` throws. Network errors are not retried.
 */
export async function* pollOnce(
  client: Pick<Client, 'job' | 'target'>,
  ids: readonly number[],
  signal: AbortSignal,
): FollowEvents {
  const schedule = createPollingSchedule(pollingLimitsFor(client.target.url));
  let isTimedOut = false;

  async function* pollJob(id: number): FollowEvents {
    await schedule.waitForSlot(signal);
    const job = await client.job(id, signal);
    if (isFinal(job.state)) yield { type: 'final', job };
    else isTimedOut = true;
  }

  try {
    for (const id of new Set(ids)) yield* isolateJobErrors(id, pollJob(id));
  } catch (error) {
    throw signal.aborted && !isVencError(error, 'TimedOutError') ? toAbortError(signal) : error;
  }
  if (isTimedOut)
    throw new VencError('TimedOutError', 'The job is not finished, and --timeout leaves no time to wait.');
}
