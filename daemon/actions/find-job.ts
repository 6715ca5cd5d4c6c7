import { invalidRequest, VencError } from '../../src/shared/errors.js';
import type { JobRecord } from '../../src/shared/records.js';
import { isJobState, jobStates } from '../../src/shared/states.js';
import { defaultAccountId, type Job, type JobOutput } from '../jobs/job.js';
import type { JobTerms } from '../jobs/search.js';
import { jobRecord, listedJobRecord } from '../jobs/view.js';
import type { Account } from '../store/account-store.js';
import type { SearchExtent } from '../store/job-store.js';
import { type AppContext, requireOwner } from './app-context.js';
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

/**
 * The job with this id, for a reader who may name the account that it belongs to, or `*` for any; null for the own one.
 * Only the owner of the daemon sees the jobs of other accounts. Rejects as `findJob` does.
 */
export async function findNamedJob(
  appContext: FindDeps & Pick<AppContext, 'accounts'>,
  reader: Pick<Account, 'id'>,
  id: number,
  accountName: string | null,
): Promise<Job> {
  if (!accountName) return findJob(appContext, reader.id, id);
  const named = reader.id === defaultAccountId ? accountIdOf(appContext, accountName) : null;
  const job = named === null ? null : await appContext.store.get(id);
  if (job === null || (named !== allAccounts && job.accountId !== named)) throw notFoundError('job', id);
  return job;
}

/** The details of a job (section 4.2), with the name of its account if an account was named. Rejects as `findNamedJob`. */
export async function readJob(...args: Parameters<typeof findNamedJob>): Promise<JobRecord> {
  const [appContext, , , accountName] = args;
  const job = await findNamedJob(...args);
  return accountName ? { ...jobRecord(job), account: accountNameOf(appContext, job) } : jobRecord(job);
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

/** The error for an id of which there is no job, input or output of the account. */
export function notFoundError(kind: string, id: number): VencError {
  return new VencError('NotFoundError', `There is no ${kind} with the id ${id}.`);
}

/** Default and maximum number of jobs on a page (section 4.3). */
const maxPerPage = 50;

/** The longest text of a search, in characters. */
const maxTextLength = 200;

/** The limits of a search: it reads the records of that many jobs, newest first, for at most so long. */
const searchLimits = { maxJobs: 10_000, maxMs: 5_000 } as const;

/** Stands for all accounts where a list takes the name of one. */
export const allAccounts = '*';

/** The validation error for the name of an account that does not exist. */
export const unknownAccount =
  'account must be the name of an account, or * for all; there is none with this name';

/** One page of an account's jobs, newest first. */
export interface JobListing {
  readonly jobs: readonly JobRecord[];
  readonly page: number;
  readonly perPage: number;
  /** Number of all matching jobs. */
  readonly total: number;
  /** How far the search for a text or a label went. Absent without one. */
  readonly search?: SearchExtent;
  /** Whether it lists the jobs of a named account, or of all. */
  readonly hasAccounts: boolean;
}

/** The parameters of a list, as strings from a query. An empty one counts as absent. */
interface ListQuery {
  readonly page?: string | undefined;
  readonly per_page?: string | undefined;
  /** Only jobs in this state. */
  readonly state?: string | undefined;
  /** Only jobs with this text: see `jobMatcher`. */
  readonly q?: string | undefined;
  /** Only jobs with an output of this label. */
  readonly label?: string | undefined;
  /** The name of an account, or `*` for all, instead of the account of the key. Only for the owner. */
  readonly account?: string | undefined;
}

/** Who lists jobs, and until when. */
interface ListReader {
  /** The short id of the key; by default that of the account. Each searches once at a time. */
  readonly keyId?: string;
  /** Ends a search. */
  readonly signal?: AbortSignal;
}

/**
 * Lists jobs (section 4.3). Rejects with `InvalidRequestError`, which names each invalid parameter, with
 * `ForbiddenError` if the account may not list the jobs of others, and with `TooManyRequestsError` if it searches too
 * often at a time.
 */
export async function listJobs(
  appContext: Pick<AppContext, 'store' | 'accounts' | 'searchTurns'>,
  accountId: string,
  query: ListQuery,
  { keyId = accountId, signal }: ListReader = {},
): Promise<JobListing> {
  const { state = '', q = '', label = '', account = '' } = query;
  if (account !== '')
    requireOwner(
      { id: accountId },
      'account: only keys of the account default, the owner of the daemon, may list the jobs of other accounts.',
    );
  const page = parsePositiveInteger(query.page, 1);
  const perPage = parsePositiveInteger(query.per_page, maxPerPage);
  const listed = account === '' ? accountId : accountIdOf(appContext, account);
  const validationErrors = [
    ...(page === null ? ['page must be a positive whole number'] : []),
    ...(perPage === null ? ['per_page must be a positive whole number'] : []),
    ...(state === '' || isJobState(state) ? [] : [`state must be one of ${jobStates.join(', ')}`]),
    ...(q.length <= maxTextLength ? [] : [`q must have at most ${maxTextLength} characters`]),
    ...(listed === null ? [unknownAccount] : []),
  ];
  if (page === null || perPage === null || listed === null || validationErrors.length > 0)
    throw invalidRequest(validationErrors);
  const limit = Math.min(perPage, maxPerPage);
  const filter = {
    ...(listed === allAccounts ? {} : { accountId: listed }),
    ...(isJobState(state) ? { state } : {}),
    offset: (page - 1) * limit,
    limit,
  };
  const terms: JobTerms = { ...(q === '' ? {} : { text: q }), ...(label === '' ? {} : { label }) };
  const search = { ...terms, ...searchLimits, ...(signal === undefined ? {} : { signal }) };
  const found = await (q === '' && label === ''
    ? appContext.store.list(filter)
    : appContext.searchTurns.run(keyId, signal, () => appContext.store.list({ ...filter, search })));
  const record = account === '' ? listedJobRecord : (job: Job) => withAccount(appContext, job);
  return { ...found, jobs: found.jobs.map(record), page, perPage: limit, hasAccounts: account !== '' };
}

/** The id of an account by its name, and `*` for all; null if there is none. No id of an account is `*`. */
export function accountIdOf({ accounts }: Pick<AppContext, 'accounts'>, name: string): string | null {
  return name === allAccounts ? allAccounts : (accounts.accountNamed(name)?.id ?? null);
}

/** The record of a job with the name of its account. */
function withAccount(appContext: Pick<AppContext, 'accounts'>, job: Job): JobRecord {
  return { ...listedJobRecord(job), account: accountNameOf(appContext, job) };
}

/** The name of the account of a job; its id if there is no such account any more. */
export function accountNameOf(
  { accounts }: Pick<AppContext, 'accounts'>,
  { accountId }: Pick<Job, 'accountId'>,
): string {
  return accounts.account(accountId)?.name ?? accountId;
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
