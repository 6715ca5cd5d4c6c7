import type { JobRecord } from '../shared/records.js';
import { isFinal } from '../shared/states.js';
import { abortableSleep } from '../shared/util/timing.js';
import type { ListFilter } from './client.js';
import {
  type FollowContext,
  type FollowEvent,
  type FollowEvents,
  isJobError,
  type QueueEvent,
} from './follow-context.js';
import type { ConnectionEvent } from './polling-schedule.js';

/** From this many jobs on, a list is cheaper than a request per job. */
const minIdsForList = 4;
const activeStates = ['processing', 'waiting', 'pending'] as const;
/** Maximum page size of a list. Section 4.3. */
export const jobsPerPage = 50;

type ListedJobs = AsyncGenerator<ConnectionEvent | QueueEvent, readonly JobRecord[], undefined>;

/** One page of jobs. Reports whether the queue is paused. */
export async function* listJobs(
  { client, withRetry, signal, jobs }: FollowContext,
  filter: ListFilter,
): ListedJobs {
  const listed = yield* withRetry(() => client.listJobs(filter, signal));
  if (jobs.notePause(listed.pause)) yield { type: 'queue', pause: listed.pause };
  return listed.jobs;
}

/**
 * Reports jobs that are not followed yet: every active job at first, then, after each interval, those that are active
 * among the newest jobs, and each job that was created since the first list, also one that has already ended. Ends only
 * with an error. `known` are the newest jobs, if the active ones were reported already.
 */
export async function* discoverJobs(
  context: FollowContext,
  intervalMs: number,
  known: readonly JobRecord[] | null,
): FollowEvents {
  const { jobs, signal } = context;
  const newest = known ?? (yield* findActiveJobs(context));
  const newIds = createNewIdFilter(newest);
  jobs.keepList(newest);
  for (;;) {
    await abortableSleep(intervalMs, signal);
    const listed = yield* listUntil(context, newIds.lastId);
    jobs.keepList(listed);
    const isNew = newIds.next(listed);
    const added = listed.filter(({ id, state }) => !jobs.has(id) && (!isFinal(state) || isNew(id)));
    if (added.length === 0) continue;
    yield { type: 'found', jobs: sortById(added) };
    for (const job of sortById(added)) if (isFinal(job.state)) yield { type: 'final', job };
  }
}

/** Reports every active job. Resolves to the newest jobs, also those that have ended. */
export async function* findActiveJobs(
  context: FollowContext,
): AsyncGenerator<FollowEvent, readonly JobRecord[], undefined> {
  const newest = yield* listJobs(context, { perPage: jobsPerPage });
  const active = newest.filter(({ state }) => !isFinal(state));
  // Older jobs may be active as well.
  const others = newest.length < jobsPerPage ? [] : yield* listActiveJobs(context);
  const found = new Map([...active, ...others].filter(({ id }) => id > 0).map((job) => [job.id, job]));
  yield { type: 'found', jobs: sortById(found.values()) };
  return newest;
}

/** The records of jobs, some of which are new: from lists, as far as that takes fewer requests. */
export async function* recordsOf(
  context: FollowContext,
  ids: readonly number[],
): AsyncGenerator<FollowEvent, readonly JobRecord[], undefined> {
  const { client, withRetry, signal } = context;
  const listed = ids.length < minIdsForList ? [] : yield* listUntil(context, Math.min(...ids));
  const found = new Map(listed.filter(({ id }) => ids.includes(id)).map((job) => [job.id, job]));
  for (const id of ids) {
    if (found.has(id)) continue;
    try {
      const job = yield* withRetry(() => client.job(id, signal));
      found.set(id, job);
    } catch (error) {
      // It was removed meanwhile.
      if (!isJobError(error)) throw error;
    }
  }
  return sortById(found.values());
}

function sortById(jobs: Iterable<JobRecord>): readonly JobRecord[] {
  return [...jobs].sort((a, b) => a.id - b.id);
}

/** Recognises the jobs that were created since the previous list; the first one is the argument. */
function createNewIdFilter(first: readonly JobRecord[]) {
  const startId = maxId(first);
  let lastId = startId;
  let knownIds: ReadonlySet<number> = new Set(first.map(({ id }) => id));
  /** After a removal, a list has an older job at its end, which is not new. */
  let minId = startId;
  return {
    /** The id of the newest job so far. */
    get lastId() {
      return lastId;
    },
    /** Takes the next list. Returns whether an id in it is new. */
    next(listed: readonly JobRecord[]): (id: number) => boolean {
      const [known, min] = [knownIds, minId];
      knownIds = new Set(listed.map(({ id }) => id));
      lastId = Math.max(lastId, maxId(listed));
      minId = listed.length < jobsPerPage ? startId : Math.max(startId, Math.min(...knownIds));
      return (id) => id > startId && id >= min && !known.has(id);
    },
  };
}

function maxId(jobs: readonly JobRecord[]): number {
  return Math.max(0, ...jobs.map(({ id }) => id));
}

/** Pages of the newest jobs, until one reaches a job that was seen before. */
async function* listUntil(context: FollowContext, lastId: number): ListedJobs {
  const all = new Map<number, JobRecord>();
  for (let page = 1; ; page += 1) {
    const listed = yield* listJobs(context, { perPage: jobsPerPage, ...(page === 1 ? {} : { page }) });
    const isRepeated = listed.every(({ id }) => all.has(id));
    for (const job of listed) all.set(job.id, job);
    if (isRepeated || listed.length < jobsPerPage || listed.some(({ id }) => id <= lastId))
      return [...all.values()];
  }
}

/** One page of each active state. A service that ignores the filter by state is asked only once. */
async function* listActiveJobs(context: FollowContext): ListedJobs {
  const found = new Map<number, JobRecord>();
  for (const state of activeStates) {
    const jobs = yield* listJobs(context, { state, perPage: jobsPerPage });
    for (const job of jobs) found.set(job.id, job);
    if (jobs.some((job) => job.state !== state)) break;
  }
  return [...found.values()].filter((job) => !isFinal(job.state));
}
