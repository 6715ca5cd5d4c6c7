import { invalidRequest } from '../../src/shared/errors.js';
import type { JobRecord } from '../../src/shared/records.js';
import { isJobState, jobStates } from '../../src/shared/states.js';
import { listedJobRecord } from '../jobs/view.js';
import type { AppContext } from './app-context.js';

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
