import type { JobRecord } from '../shared/records.js';
import { isFinal } from '../shared/states.js';
import type { Client } from './client.js';
import { isHere } from './polling-schedule.js';
import type { OutageEvent, Patiently } from './retry-policy.js';

/** Looks which jobs are active: thoroughly at first, then for what is new. */
export interface JobFinder {
  /** Milliseconds until it is worth looking again; 0 where it is at once. */
  untilDue(): number;
  /** The jobs that a look shows: the newest whatever their state, and at the first look every active one. */
  look(): AsyncGenerator<OutageEvent, readonly JobRecord[], undefined>;
}

const activeStates = ['processing', 'waiting', 'pending'] as const;
/** The greatest page that the document allows. */
const pageJobs = 50;

/**
 * A finder. The first look asks for one page of each active state, oldest jobs first; a service that does not know the filter by
 * state is asked only once, and the active ones among its newest jobs are taken. Later looks are one page of the newest jobs, every two
 * seconds on this machine and every five elsewhere.
 */
export function createJobFinder(
  client: Client,
  patiently: Patiently,
  signal: AbortSignal | undefined,
): JobFinder {
  const everyMs = isHere(client.target.url) ? 2000 : 5000;
  let dueAt: number | null = null;

  async function* firstLook(): ReturnType<JobFinder['look']> {
    const found = new Map<number, JobRecord>();
    for (const state of activeStates) {
      const { jobs } = yield* patiently(() => client.listJobs({ state, perPage: pageJobs }, signal));
      for (const job of jobs) found.set(job.id, job);
      if (jobs.some((job) => job.state !== state)) break;
    }
    return [...found.values()].filter((job) => job.id > 0 && !isFinal(job.state)).sort((a, b) => a.id - b.id);
  }

  async function* nextLook(): ReturnType<JobFinder['look']> {
    return (yield* patiently(() => client.listJobs({ perPage: pageJobs }, signal))).jobs;
  }

  return {
    untilDue: () => (dueAt === null ? 0 : Math.max(0, dueAt - performance.now())),
    look: async function* () {
      const jobs = yield* dueAt === null ? firstLook() : nextLook();
      dueAt = performance.now() + everyMs;
      return jobs;
    },
  };
}
