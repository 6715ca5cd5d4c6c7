import { setMaxListeners } from 'node:events';
import { isVencError, type VencError } from '../shared/errors.js';
import type { JobRecord } from '../shared/records.js';
import { isFinal } from '../shared/states.js';
import type { Client } from './client.js';
import { createJobFinder } from './find-jobs.js';
import type { FollowedProgress } from './job-progress.js';
import { LiveJobs } from './live-jobs.js';
import { progressOfJob } from './normalise.js';
import { pause } from './pause.js';
import { createPace, mostStreamsFor, type Pace, type PaceLimits, paceLimitsFor } from './polling-schedule.js';
import { createPatience, endOf, type OutageEvent } from './retry-policy.js';

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
  | OutageEvent;

/** How to follow. */
export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** The service answered a moment ago: an outage at the first question is waited out as well. */
  readonly isKnownReachable?: boolean;
  /** How closely requests may follow each other, where the address is not to decide. */
  readonly limits?: PaceLimits;
  /** The pace to keep, where it is shared with other askers. */
  readonly pace?: Pace;
  /** Whether to take in every job that is active: until none is, or for as long as the signal allows. */
  readonly finds?: 'until-idle' | 'always';
  /** The job that is looked at, asked about before the others. */
  readonly prefers?: () => number | null;
}

type Events = AsyncGenerator<FollowEvent, void, undefined>;

/** From this many jobs on, one list tells more cheaply which of them need asking about. */
const listFromJobs = 4;
const listPageJobs = 50;
/** The list is looked at again after so many questions at most: it tells at once of many that have ended. */
const roundJobs = 10;
/** Errors that concern one id and not the others. */
const refusals = ['NotFoundError', 'GoneError', 'ForbiddenError'] as const;

/**
 * Follows jobs until all of them are final: by their events where the service has such streams, else by asking again and again. One
 * request at a time: at most five a second on this machine and one a second elsewhere, fewer while nothing changes; up to sixty
 * streams (six, elsewhere) stay open beside them. A lost connection is waited out. Throws what cannot pass: a service
 * that never answered, a refused key, and the signal's own reason (`InterruptedError` where that is none of ours).
 */
export async function* follow(client: Client, ids: readonly number[], options: FollowOptions = {}): Events {
  const { signal, isKnownReachable = false, limits = paceLimitsFor(client.target.url), finds } = options;
  const { pace = createPace(limits), prefers = () => null } = options;
  const maxStreams = mostStreamsFor(client.target.url);
  const turn = () => pace.turn(signal);
  const patiently = createPatience({ client, pace, signal, isKnownReachable });
  const finder = finds === undefined ? null : createJobFinder(client, patiently, signal);
  const open = new Set(ids);
  const askedAt = new Map<number, number>();
  const lastSeen = new Map<number, string>();
  const live = new LiveJobs();
  const leaving = new AbortController();
  const streamSignal = signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal]);
  // Each stream listens to it: sixty of them are no leak.
  setMaxListeners(0, streamSignal);
  /** Whether the service has streams; null until it has told. */
  let hasStreams: boolean | null = null;
  let hasLooked = false;
  const mayStream = () => hasStreams !== false && live.size < maxStreams;

  async function* told(job: FollowedProgress): Events {
    if (!isFinal(job.state)) {
      yield { type: 'progress', job };
      return;
    }
    const record = yield* patiently(() => client.job(job.id, signal));
    // It may have been resubmitted in between: then it is simply followed on.
    if (isFinal(record.state)) yield { type: 'final', job: record };
  }

  async function* asked(id: number): Events {
    askedAt.set(id, performance.now());
    if (!mayStream()) {
      yield* told(yield* patiently(() => client.jobProgress(id, signal, turn)));
      return;
    }
    const terms = { eventId: live.eventId(id), signal: streamSignal, turn };
    const tidings = yield* patiently(() => client.jobTidings(id, terms));
    hasStreams ??= tidings.kind === 'events';
    if (tidings.kind === 'events') live.add(id, tidings);
    else yield* told(tidings.job);
  }

  /** What the streams have brought. */
  async function* heard(): Events {
    for (const { id, job, hasEnded, retryMs } of live.take().filter((news) => open.has(news.id))) {
      const isOver = job !== null && isFinal(job.state);
      if (hasEnded && !isOver) pace.note(job !== null, retryMs);
      if (isOver) yield* sparing(id, told(job));
      else if (job !== null) yield { type: 'progress', job };
    }
  }

  /** What the streams bring until the next question may be put. */
  async function* heardMeanwhile(): Events {
    for (let waitMs = pace.untilTurn(); live.size > 0 && waitMs > 0; waitMs = pace.untilTurn()) {
      await live.changed(waitMs);
      if (signal?.aborted === true) return;
      yield* heard();
    }
  }

  /** What the finder sees, by id; jobs that are new are told of and followed. */
  async function* found(): AsyncGenerator<FollowEvent, readonly JobRecord[], undefined> {
    if (finder === null) return [];
    const isFirst = !hasLooked;
    const jobs = yield* finder.look();
    const fresh = jobs.filter((job) => !isFinal(job.state) && !open.has(job.id)).sort((a, b) => a.id - b.id);
    for (const { id } of fresh) open.add(id);
    hasLooked = true;
    if (isFirst || fresh.length > 0) yield { type: 'found', jobs: fresh };
    return jobs;
  }

  const isFinding = () => finder !== null && finder.untilDue() === 0;

  /** Asks about the jobs that no stream tells of. */
  async function* round(): Events {
    yield* heardMeanwhile();
    const listed = new Map<number, JobRecord>();
    if (isFinding()) for (const job of yield* found()) listed.set(job.id, job);
    const idle = [...open].filter((id) => !live.has(id));
    if (listed.size === 0 && idle.length >= listFromJobs) {
      const page = yield* patiently(() => client.listJobs({ perPage: listPageJobs }, signal));
      for (const job of page.jobs) listed.set(job.id, job);
    }
    const waiting: number[] = [];
    const others: number[] = [];
    for (const id of idle) {
      const job = listed.get(id);
      if (job === undefined || job.state === 'processing') others.push(id);
      else if (isFinal(job.state)) yield { type: 'final', job };
      else {
        waiting.push(id);
        yield { type: 'progress', job: { id, ...progressOfJob(job, new Map()) } };
      }
    }
    const preferred = prefers();
    const since = (id: number) => (id === preferred ? Number.NEGATIVE_INFINITY : (askedAt.get(id) ?? 0));
    others.sort((a, b) => since(a) - since(b));
    for (const id of others.slice(0, roundJobs)) {
      yield* heardMeanwhile();
      if (open.has(id)) yield* sparing(id, asked(id));
    }
    // The list has said all there is to say of a job that waits; it is only worth a stream, and only where there is one for all.
    if (open.size > maxStreams) return;
    for (const id of waiting) {
      if (mayStream()) yield* sparing(id, asked(id));
      yield* heard();
    }
  }

  /** Waits until a stream has something to tell, or it is time to look for jobs again. */
  async function anything(): Promise<void> {
    const withinMs = finder === null ? Number.POSITIVE_INFINITY : finder.untilDue();
    if (live.size > 0) return live.changed(withinMs);
    await pause(withinMs, signal).catch((error: unknown) => {
      throw signal?.aborted === true ? endOf(signal) : error;
    });
  }

  try {
    while (open.size > 0 || (finder !== null && (!hasLooked || finds === 'always'))) {
      const isQuiet = [...open].every((id) => live.has(id)) && !isFinding();
      let hasChanged = false;
      if (isQuiet) await anything();
      for await (const event of isQuiet ? heard() : round()) {
        if (event.type === 'final') open.delete(event.job.id);
        if (event.type === 'refused') open.delete(event.id);
        if (!isQuiet && event.type === 'progress') {
          const seen = fingerprint(event.job);
          hasChanged ||= lastSeen.get(event.job.id) !== seen;
          lastSeen.set(event.job.id, seen);
        }
        yield event;
      }
      // Where a stream is open, it tells when something is to be asked again.
      // Where all streams there may be are open, they tell enough: the others are asked about without haste.
      if (!isQuiet && [...open].some((id) => !live.has(id))) pace.note(hasChanged && live.size < maxStreams);
    }
  } finally {
    leaving.abort();
  }
}

/** Ends the following of one job where the service will not tell about it, and of no other. */
export async function* sparing(id: number, events: Events): Events {
  try {
    yield* events;
  } catch (error) {
    if (!isVencError(error) || !refusals.some((name) => name === error.errorClass)) throw error;
    yield { type: 'refused', id, error };
  }
}

/** What counts as a change: states, and whole percents. */
function fingerprint(job: FollowedProgress): string {
  const files = [job.input, ...job.outputs].map((file) => `${file.state} ${Math.floor(file.progress)}`);
  return [job.state, ...files].join();
}
