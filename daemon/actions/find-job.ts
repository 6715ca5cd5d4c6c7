import { invalidRequest, VencError } from '../../src/shared/errors.js';
import type { JobRecord } from '../../src/shared/records.js';
import { isJobState, jobStates } from '../../src/shared/states.js';
import type { Job, JobOutput } from '../jobs/job.js';
import { listedJobRecord } from '../jobs/view.js';
import type { AppContext } from './app-context.js';
import type { Feed } from './event-hub.js';
import type { JobProgressEvent } from './job-events.js';

type FindDeps = Pick<AppContext, 'store'>;

/**
 * The job with this id, if it belongs to the account. A job of another account is reported as missing
 * (section 5): `NotFoundError`. A damaged record is `GoneError`.
 */
export async function findJob(appContext: FindDeps, accountId: string, id: number): Promise<Job> {
  const job = await appContext.store.get(id);
  if (job === null || job.accountId !== accountId) throw notFoundError('job', id);
  return job;
}

/** The job whose input has this id (section 4.6: job and output ids are not accepted). */
export async function findInput(appContext: FindDeps, accountId: string, id: number): Promise<Job> {
  const job = await appContext.store.findByFile(id);
  if (job === null || job.accountId !== accountId || job.input.id !== id) throw notFoundError('input', id);
  return job;
}

/** The output with this id, and its job (section 4.7: job ids are not accepted). */
export async function findOutput(
  appContext: FindDeps,
  accountId: string,
  id: number,
): Promise<{ readonly job: Job; readonly output: JobOutput }> {
  const job = await appContext.store.findByFile(id);
  const output = job?.outputs.find((candidate) => candidate.id === id);
  if (job === null || job === undefined || output === undefined || job.accountId !== accountId)
    throw notFoundError('output', id);
  return { job, output };
}

function notFoundError(kind: string, id: number): VencError {
  return new VencError('NotFoundError', `There is no ${kind} with the id ${id}.`);
}

/** Default and maximum number of jobs on a page (section 4.3). */
const maxPerPage = 50;

/** One page of an account's jobs, newest first. */
export interface JobListing {
  readonly jobs: readonly JobRecord[];
  readonly page: number;
  readonly perPage: number;
  /** Number of all matching jobs. */
  readonly total: number;
}

/** The parameters of a list, as strings from a query. */
interface ListQuery {
  readonly page?: string | undefined;
  readonly per_page?: string | undefined;
  /** Only jobs in this state; empty means all. */
  readonly state?: string | undefined;
}

/** Lists jobs (section 4.3). Rejects with `InvalidRequestError`, which names each invalid parameter. */
export async function listJobs(
  appContext: Pick<AppContext, 'store'>,
  accountId: string,
  query: ListQuery,
): Promise<JobListing> {
  const page = parsePositiveInteger(query.page, 1);
  const perPage = parsePositiveInteger(query.per_page, maxPerPage);
  const state = query.state ?? '';
  const validationErrors = [
    ...(page === null ? ['page must be a positive whole number'] : []),
    ...(perPage === null ? ['per_page must be a positive whole number'] : []),
    ...(state === '' || isJobState(state) ? [] : [`state must be one of ${jobStates.join(', ')}`]),
  ];
  if (page === null || perPage === null || validationErrors.length > 0)
    throw invalidRequest(validationErrors);
  const limit = Math.min(perPage, maxPerPage);
  const { jobs, total } = await appContext.store.list({
    accountId,
    ...(isJobState(state) ? { state } : {}),
    offset: (page - 1) * limit,
    limit,
  });
  return { jobs: jobs.map(listedJobRecord), page, perPage: limit, total };
}

function parsePositiveInteger(text: string | undefined, fallback: number): number | null {
  if (text === undefined || text === '') return fallback;
  return /^[0-9]{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : null;
}

/**
 * Subscribes to the progress of a job, an addition to the service document. The first event is the current
 * state, unless `lastEventId` is the id of that event. Resolves to null if no event will follow, because the
 * job is final and the client has its last event. The caller must cancel the feed or read it to its end.
 */
export async function followJob(
  appContext: Pick<AppContext, 'store' | 'events'>,
  accountId: string,
  id: number,
  lastEventId: string | null = null,
): Promise<Feed<JobProgressEvent> | null> {
  // Checks the owner before it joins the subscription of another client.
  await findJob(appContext, accountId, id);
  const feed = await appContext.events.subscribe(id, () => findJob(appContext, accountId, id), lastEventId);
  return feed.isDone ? null : feed;
}
