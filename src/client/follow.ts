import { setMaxListeners } from 'node:events';
import { isVencError, type VencError } from '../api/errors.js';
import type { JobRecord } from '../api/records.js';
import { isFinal } from '../api/states.js';
import type { Client } from './client.js';
import type { FollowedProgress } from './job-progress.js';
import { LiveJobs } from './live-jobs.js';
import { progressOfJob } from './normalise.js';
import { createPace, type PaceLimits, paceLimitsFor } from './pace.js';
import { createPatience, type OutageEvent } from './patience.js';

/** What happens while jobs are followed. Made for a reducer: each event stands for itself. */
export type FollowEvent =
  | { readonly type: 'progress'; readonly job: FollowedProgress }
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
}

type Events = AsyncGenerator<FollowEvent, void, undefined>;

/** From this many jobs on, one list tells more cheaply which of them need asking about. */
const listFromJobs = 4;
const listPageJobs = 50;
/** Each stream is a connection: of more jobs than this the list tells, until fewer are left. */
const maxStreams = 20;
/** Errors that concern one id and not the others. */
const refusals = ['NotFoundError', 'GoneError', 'ForbiddenError'] as const;

/**
 * Follows jobs until all of them are final: by their events where the service has such streams, else by asking again and again. One
 * request at a time: at most five a second on this machine and one a second elsewhere, fewer while nothing changes; up to twenty
 * streams stay open beside them. A lost connection is waited out. Throws what cannot pass: a service
 * that never answered, a refused key, and the signal's own reason (`InterruptedError` where that is none of ours).
 */
export async function* follow(client: Client, ids: readonly number[], options: FollowOptions = {}): Events {
  const { signal, isKnownReachable = false, limits = paceLimitsFor(client.target.url) } = options;
  const pace = createPace(limits);
  const turn = () => pace.turn(signal);
  const patiently = createPatience({ client, pace, signal, isKnownReachable });
  const open = new Set(ids);
  const lastSeen = new Map<number, string>();
  const live = new LiveJobs();
  const leaving = new AbortController();
  const streamSignal = signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal]);
  // Each stream listens to it: twenty of them are no leak.
  setMaxListeners(0, streamSignal);
  /** Whether the service has streams; null until it has told. */
  let hasStreams: boolean | null = null;
  const mayStream = () => hasStreams !== false && open.size <= maxStreams;

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
      if (job !== null) yield* sparing(id, told(job));
    }
  }

  /** Asks about the jobs that no stream tells of. */
  async function* round(idle: readonly number[]): Events {
    const listed = new Map<number, JobRecord>();
    if (idle.length >= listFromJobs) {
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
    for (const id of [...others, ...waiting]) {
      // The list has said all there is to say of a job that waits; it is only worth a stream.
      if (others.includes(id) || mayStream()) yield* sparing(id, asked(id));
      yield* heard();
    }
  }

  try {
    while (open.size > 0) {
      const idle = [...open].filter((id) => !live.has(id));
      let hasChanged = false;
      if (idle.length === 0) await live.changed();
      for await (const event of idle.length === 0 ? heard() : round(idle)) {
        if (event.type === 'final') open.delete(event.job.id);
        if (event.type === 'refused') open.delete(event.id);
        if (event.type === 'progress') {
          const seen = fingerprint(event.job);
          hasChanged ||= lastSeen.get(event.job.id) !== seen;
          lastSeen.set(event.job.id, seen);
        }
        yield event;
      }
      // Where a stream is open, it tells when something is to be asked again.
      if (idle.some((id) => open.has(id) && !live.has(id))) pace.note(hasChanged);
    }
  } finally {
    leaving.abort();
  }
}

/** Ends the following of one job where the service will not tell about it, and of no other. */
async function* sparing(id: number, events: Events): Events {
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
