import type { JobRecord } from '../shared/records.js';
import { isFinal } from '../shared/states.js';
import { abortableSleep } from './abortable-sleep.js';
import type { FollowContext, FollowEvents } from './follow-context.js';
import { isLocalUrl } from './polling-schedule.js';
import type { ConnectionEvent } from './with-retry.js';

const activeStates = ['processing', 'waiting', 'pending'] as const;
/** Maximum page size of a list. Section 4.3. */
const jobsPerPage = 50;

type ListedJobs = AsyncGenerator<ConnectionEvent, readonly JobRecord[], undefined>;

/**
 * Reports active jobs that are not followed yet: every active job at first, then those among the newest jobs, every two seconds on this
 * machine and every five elsewhere. Ends only with an error.
 */
export async function* discoverJobs(context: FollowContext): FollowEvents {
  const { client, jobs, signal } = context;
  const intervalMs = isLocalUrl(client.target.url) ? 2000 : 5000;
  for (;;) {
    const isFirst = !jobs.isDiscovered;
    const listed = yield* isFirst ? listActiveJobs(context) : listNewestJobs(context);
    jobs.keepList(listed);
    const found = listed
      .filter(({ id, state }) => !isFinal(state) && !jobs.has(id))
      .sort((a, b) => a.id - b.id);
    if (isFirst || found.length > 0) yield { type: 'found', jobs: found };
    await abortableSleep(intervalMs, signal);
  }
}

/** One page of each active state, oldest jobs first. A service that ignores the filter by state is asked only once. */
async function* listActiveJobs({ client, withRetry, signal }: FollowContext): ListedJobs {
  const found = new Map<number, JobRecord>();
  for (const state of activeStates) {
    const { jobs } = yield* withRetry(() => client.listJobs({ state, perPage: jobsPerPage }, signal));
    for (const job of jobs) found.set(job.id, job);
    if (jobs.some((job) => job.state !== state)) break;
  }
  return [...found.values()].filter((job) => job.id > 0 && !isFinal(job.state)).sort((a, b) => a.id - b.id);
}

async function* listNewestJobs({ client, withRetry, signal }: FollowContext): ListedJobs {
  return (yield* withRetry(() => client.listJobs({ perPage: jobsPerPage }, signal))).jobs;
}
