import type { JobRecord } from '../shared/records.js';
import { isFinal } from '../shared/states.js';
import type { Client } from './client.js';
import { isLocalUrl } from './polling-schedule.js';
import type { ConnectionEvent, WithRetry } from './with-retry.js';

/** Looks which jobs are active: thoroughly at first, then for what is new. */
export interface JobFinder {
  /** Milliseconds until it is worth looking again; 0 where it is at once. */
  msUntilDue(): number;
  /** The jobs that a look shows: the newest whatever their state, and at the first look every active one. */
  poll(): AsyncGenerator<ConnectionEvent, readonly JobRecord[], undefined>;
}

const activeStates = ['processing', 'waiting', 'pending'] as const;
/** The greatest page that the document allows. */
const jobsPerPage = 50;

/**
 * A finder. The first look asks for one page of each active state, oldest jobs first; a service that does not know the filter by
 * state is asked only once, and the active ones among its newest jobs are taken. Later looks are one page of the newest jobs, every two
 * seconds on this machine and every five elsewhere.
 */
export function createJobFinder(
  client: Client,
  withRetry: WithRetry,
  signal: AbortSignal | undefined,
): JobFinder {
  const intervalMs = isLocalUrl(client.target.url) ? 2000 : 5000;
  let dueAt: number | null = null;

  async function* listActiveJobs(): ReturnType<JobFinder['poll']> {
    const found = new Map<number, JobRecord>();
    for (const state of activeStates) {
      const { jobs } = yield* withRetry(() => client.listJobs({ state, perPage: jobsPerPage }, signal));
      for (const job of jobs) found.set(job.id, job);
      if (jobs.some((job) => job.state !== state)) break;
    }
    return [...found.values()].filter((job) => job.id > 0 && !isFinal(job.state)).sort((a, b) => a.id - b.id);
  }

  async function* listNewestJobs(): ReturnType<JobFinder['poll']> {
    return (yield* withRetry(() => client.listJobs({ perPage: jobsPerPage }, signal))).jobs;
  }

  return {
    msUntilDue: () => (dueAt === null ? 0 : Math.max(0, dueAt - performance.now())),
    poll: async function* () {
      const jobs = yield* dueAt === null ? listActiveJobs() : listNewestJobs();
      dueAt = performance.now() + intervalMs;
      return jobs;
    },
  };
}
