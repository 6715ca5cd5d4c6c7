import { setMaxListeners } from 'node:events';
import { isVencError, type VencError } from '../shared/errors.js';
import type { JobRecord } from '../shared/records.js';
import { isFinal } from '../shared/states.js';
import { abortableSleep } from './abortable-sleep.js';
import type { Client } from './client.js';
import { createJobFinder } from './find-jobs.js';
import type { FollowedProgress } from './job-progress.js';
import { JobStreams } from './job-streams.js';
import { progressOfJob } from './normalise.js';
import {
  createPollingSchedule,
  maxStreamsFor,
  type PollingLimits,
  type PollingSchedule,
  pollingLimitsFor,
} from './polling-schedule.js';
import { type ConnectionEvent, createWithRetry, toAbortError } from './with-retry.js';

/** What happens while jobs are followed. Made for a reducer: each event stands for itself. */
export type FollowEvent =
  | { readonly type: 'progress'; readonly job: FollowedProgress }
  /** Jobs that are active and were not followed yet: once at the start, be there any or not, and then whenever there are new ones. */
  | { readonly type: 'found'; readonly jobs: readonly JobRecord[] }
  /** The job is in a final state, once for each job. */
  | { readonly type: 'final'; readonly job: JobRecord }
  /** The service will not tell about this job (no such job, key refused): it is followed no longer. */
  | { readonly type: 'refused'; readonly id: number; readonly error: VencError }
  /** The service is out of reach; it is tried again until it is `back`. Once for each outage. */
  | ConnectionEvent;

/** How to follow. */
export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** The service answered a moment ago: an outage at the first question is waited out as well. */
  readonly isKnownReachable?: boolean;
  /** How closely requests may follow each other, where the address is not to decide. */
  readonly limits?: PollingLimits;
  /** The pace to keep, where it is shared with other askers. */
  readonly schedule?: PollingSchedule;
  /** Whether to take in every job that is active: until none is, or for as long as the signal allows. */
  readonly discovery?: 'until-idle' | 'always';
  /** The job that is looked at, asked about before the others. */
  readonly getPreferredId?: () => number | null;
}

type Events = AsyncGenerator<FollowEvent, void, undefined>;

/** From this many jobs on, one list tells more cheaply which of them need asking about. */
const minJobsForList = 4;
const listPageSize = 50;
/** The list is looked at again after so many questions at most: it tells at once of many that have ended. */
const maxJobsPerRound = 10;
/** Errors that concern one id and not the others. */
const jobErrorClasses = ['NotFoundError', 'GoneError', 'ForbiddenError'] as const;

/**
 * Follows jobs until all of them are final: by their events where the service has such streams, else by asking again and again. One
 * request at a time: at most five a second on this machine and one a second elsewhere, fewer while nothing changes; up to sixty
 * streams (six, elsewhere) stay open beside them. A lost connection is waited out. Throws what cannot pass: a service
 * that never answered, a refused key, and the signal's own reason (`InterruptedError` where that is none of ours).
 */
export async function* follow(client: Client, ids: readonly number[], options: FollowOptions = {}): Events {
  const {
    signal,
    isKnownReachable = false,
    limits = pollingLimitsFor(client.target.url),
    discovery,
  } = options;
  const { schedule = createPollingSchedule(limits), getPreferredId = () => null } = options;
  const maxStreams = maxStreamsFor(client.target.url);
  const waitForSlot = () => schedule.waitForSlot(signal);
  const withRetry = createWithRetry({ client, schedule, signal, isKnownReachable });
  const finder = discovery === undefined ? null : createJobFinder(client, withRetry, signal);
  const followedIds = new Set(ids);
  const requestedAt = new Map<number, number>();
  const lastFingerprints = new Map<number, string>();
  const streams = new JobStreams();
  const streamsController = new AbortController();
  const streamSignal =
    signal === undefined ? streamsController.signal : AbortSignal.any([signal, streamsController.signal]);
  // Each stream listens to it: sixty of them are no leak.
  setMaxListeners(0, streamSignal);
  /** Whether the service has streams; null until it has told. */
  let hasStreams: boolean | null = null;
  let hasListed = false;
  const canOpenStream = () => hasStreams !== false && streams.size < maxStreams;

  async function* emitProgress(job: FollowedProgress): Events {
    if (!isFinal(job.state)) {
      yield { type: 'progress', job };
      return;
    }
    const record = yield* withRetry(() => client.job(job.id, signal));
    // It may have been resubmitted in between: then it is simply followed on.
    if (isFinal(record.state)) yield { type: 'final', job: record };
  }

  async function* requestJob(id: number): Events {
    requestedAt.set(id, performance.now());
    if (!canOpenStream()) {
      yield* emitProgress(yield* withRetry(() => client.jobProgress(id, signal, waitForSlot)));
      return;
    }
    const updateOptions = { eventId: streams.eventId(id), signal: streamSignal, waitForSlot };
    const updates = yield* withRetry(() => client.jobUpdates(id, updateOptions));
    hasStreams ??= updates.kind === 'events';
    if (updates.kind === 'events') streams.add(id, updates);
    else yield* emitProgress(updates.job);
  }

  /** What the streams have brought. */
  async function* drainStreams(): Events {
    for (const { id, job, hasEnded, retryMs } of streams.drain().filter((news) => followedIds.has(news.id))) {
      const isOver = job !== null && isFinal(job.state);
      if (hasEnded && !isOver) schedule.endRound(job !== null, retryMs);
      if (isOver) yield* isolateJobErrors(id, emitProgress(job));
      else if (job !== null) yield { type: 'progress', job };
    }
  }

  /** What the streams bring until the next question may be put. */
  async function* drainWhileWaiting(): Events {
    for (
      let waitMs = schedule.msUntilSlot();
      streams.size > 0 && waitMs > 0;
      waitMs = schedule.msUntilSlot()
    ) {
      await streams.waitForUpdates(waitMs);
      if (signal?.aborted === true) return;
      yield* drainStreams();
    }
  }

  /** What the finder sees, by id; jobs that are new are told of and followed. */
  async function* discoverJobs(): AsyncGenerator<FollowEvent, readonly JobRecord[], undefined> {
    if (finder === null) return [];
    const isFirst = !hasListed;
    const jobs = yield* finder.poll();
    const newJobs = jobs
      .filter((job) => !isFinal(job.state) && !followedIds.has(job.id))
      .sort((a, b) => a.id - b.id);
    for (const { id } of newJobs) followedIds.add(id);
    hasListed = true;
    if (isFirst || newJobs.length > 0) yield { type: 'found', jobs: newJobs };
    return jobs;
  }

  const isDiscoveryDue = () => finder !== null && finder.msUntilDue() === 0;

  /** Asks about the jobs that no stream tells of. */
  async function* pollRound(): Events {
    yield* drainWhileWaiting();
    const listed = new Map<number, JobRecord>();
    if (isDiscoveryDue()) for (const job of yield* discoverJobs()) listed.set(job.id, job);
    const unstreamed = [...followedIds].filter((id) => !streams.has(id));
    if (listed.size === 0 && unstreamed.length >= minJobsForList) {
      const page = yield* withRetry(() => client.listJobs({ perPage: listPageSize }, signal));
      for (const job of page.jobs) listed.set(job.id, job);
    }
    const waiting: number[] = [];
    const others: number[] = [];
    for (const id of unstreamed) {
      const job = listed.get(id);
      if (job === undefined || job.state === 'processing') others.push(id);
      else if (isFinal(job.state)) yield { type: 'final', job };
      else {
        waiting.push(id);
        yield { type: 'progress', job: { id, ...progressOfJob(job, new Map()) } };
      }
    }
    const preferred = getPreferredId();
    const lastRequestedAt = (id: number) =>
      id === preferred ? Number.NEGATIVE_INFINITY : (requestedAt.get(id) ?? 0);
    others.sort((a, b) => lastRequestedAt(a) - lastRequestedAt(b));
    for (const id of others.slice(0, maxJobsPerRound)) {
      yield* drainWhileWaiting();
      if (followedIds.has(id)) yield* isolateJobErrors(id, requestJob(id));
    }
    // The list has said all there is to say of a job that waits; it is only worth a stream, and only where there is one for all.
    if (followedIds.size > maxStreams) return;
    for (const id of waiting) {
      if (canOpenStream()) yield* isolateJobErrors(id, requestJob(id));
      yield* drainStreams();
    }
  }

  /** Waits until a stream has something to tell, or it is time to look for jobs again. */
  async function waitForChange(): Promise<void> {
    const withinMs = finder === null ? Number.POSITIVE_INFINITY : finder.msUntilDue();
    if (streams.size > 0) return streams.waitForUpdates(withinMs);
    await abortableSleep(withinMs, signal).catch((error: unknown) => {
      throw signal?.aborted === true ? toAbortError(signal) : error;
    });
  }

  try {
    while (followedIds.size > 0 || (finder !== null && (!hasListed || discovery === 'always'))) {
      const isStreaming = [...followedIds].every((id) => streams.has(id)) && !isDiscoveryDue();
      let hasChanged = false;
      if (isStreaming) await waitForChange();
      for await (const event of isStreaming ? drainStreams() : pollRound()) {
        if (event.type === 'final') followedIds.delete(event.job.id);
        if (event.type === 'refused') followedIds.delete(event.id);
        if (!isStreaming && event.type === 'progress') {
          const currentFingerprint = fingerprint(event.job);
          hasChanged ||= lastFingerprints.get(event.job.id) !== currentFingerprint;
          lastFingerprints.set(event.job.id, currentFingerprint);
        }
        yield event;
      }
      // Where a stream is open, it tells when something is to be asked again.
      // Where all streams there may be are open, they report enough: the others are polled slowly.
      if (!isStreaming && [...followedIds].some((id) => !streams.has(id)))
        schedule.endRound(hasChanged && streams.size < maxStreams);
    }
  } finally {
    streamsController.abort();
  }
}

/** Ends the following of one job where the service will not tell about it, and of no other. */
export async function* isolateJobErrors(id: number, events: Events): Events {
  try {
    yield* events;
  } catch (error) {
    if (!isVencError(error) || !jobErrorClasses.some((name) => name === error.errorClass)) throw error;
    yield { type: 'refused', id, error };
  }
}

/** What counts as a change: states, and whole percents. */
function fingerprint(job: FollowedProgress): string {
  const files = [job.input, ...job.outputs].map((file) => `${file.state} ${Math.floor(file.progress)}`);
  return [job.state, ...files].join();
}
