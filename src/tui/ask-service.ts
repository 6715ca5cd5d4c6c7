import { isVencError } from '../api/errors.js';
import type { JobRecord } from '../api/records.js';
import { isFinal } from '../api/states.js';
import type { Client } from '../client/client.js';
import { createPace, paceLimitsFor } from '../client/pace.js';

const activeStates = ['processing', 'waiting', 'pending'] as const;
const pageJobs = 50;

/**
 * The active jobs, oldest first, as many as one page of each state holds. A service that does not know the filter by
 * state answers with its newest jobs: the active ones among them are taken.
 */
export async function listActive(client: Client, signal: AbortSignal): Promise<readonly JobRecord[]> {
  const found = new Map<number, JobRecord>();
  for (const state of activeStates) {
    const { jobs } = await client.listJobs({ state, perPage: pageJobs }, signal);
    for (const job of jobs) if (!isFinal(job.state)) found.set(job.id, job);
  }
  return [...found.values()].sort((a, b) => a.id - b.id);
}

/**
 * The details of jobs, one after the other, at the pace the service is owed. They bring nothing but names to the
 * screen: a job whose details cannot be had is left out.
 */
export async function* askNames(
  client: Client,
  ids: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<JobRecord, void, undefined> {
  const pace = createPace(paceLimitsFor(client.target.url));
  for (const id of ids) {
    await pace.turn(signal);
    try {
      yield await client.job(id, signal);
    } catch (error) {
      if (signal.aborted || !isVencError(error)) throw error;
    }
  }
}
