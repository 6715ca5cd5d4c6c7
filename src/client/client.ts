import { fieldsOf, readNumber } from '../shared/client/coerce.js';
import { normaliseJob, unwrapJobs } from '../shared/client/normalise.js';
import { delayAfterError } from '../shared/client/retry-delay.js';
import { isVencError, VencError } from '../shared/errors.js';
import type { JobRecord } from '../shared/records.js';
import type { RouteName } from '../shared/routes.js';
import { abortableSleep } from '../shared/util/timing.js';
import type { RequestAccountUpdates } from './account-updates.js';
import { type Caller, type CallOptions, createCaller, type OnRequest } from './call.js';
import {
  createJobProgress,
  type FollowedProgress,
  type QueuePause,
  type WaitForSlot,
} from './job-progress.js';
import type { RequestJobUpdates } from './job-updates.js';
import type { ServiceResponse } from './read-response.js';
import type { Target } from './target.js';
import type { Upload } from './upload.js';

/** Searches jobs, an addition to the service document. */
export interface JobTerms {
  /** A text that they have, in upper or lower case. */
  readonly text?: string;
  /** The label of one of their outputs. */
  readonly label?: string;
  /** The name of an account, or `*` for all, instead of that of the key. */
  readonly account?: string;
}

/** Selects jobs of a list. Pages count from 1. `state` is an addition that other services may ignore. */
export interface ListFilter extends JobTerms {
  readonly page?: number;
  readonly perPage?: number;
  readonly state?: string;
}

/** One page of jobs, newest first. */
export interface ListedJobs extends ListFacts {
  /** Normalised when they are first read: `--json` prints the records. */
  readonly jobs: readonly JobRecord[];
  /** The same jobs as the service sent them, unwrapped. */
  readonly records: readonly unknown[];
}

/** What a list says besides its jobs. */
interface ListFacts {
  /** The number of jobs on all pages; null if the service does not send it. */
  readonly total: number | null;
  /** The pause that holds for the jobs; null if there is none, or if the service does not say. */
  readonly pause: QueuePause | null;
  /** The number of jobs that a search has read, if there are older ones; null if not, or without a search. */
  readonly readCount: number | null;
}

/**
 * A client of one service's REST API. Prints nothing. Records are normalised: every key is present and numbers are
 * numbers. Rejects with `VencError`: the class of the status, `UnreachableError` without an answer, `InterruptedError`
 * once the signal is aborted. Safe methods are retried a few times after 429 and 5xx.
 */
export interface Client {
  readonly target: Target;
  /** The answer to a route, parsed but not normalised: `--json` prints it. */
  call(route: RouteName, call?: CallOptions): Promise<ServiceResponse>;
  /** The same, but resolves when the headers of a successful response arrive; the caller reads the body. */
  open: Caller['open'];
  /** Rejects with `UsageError` if the filter has terms and the service has no search, which would list all jobs. */
  listJobs(filter?: ListFilter, signal?: AbortSignal): Promise<ListedJobs>;
  job(id: number, signal?: AbortSignal): Promise<JobRecord>;
  /**
   * The progress of a job. Without such a route at the service, it is derived from the job's details and the progress
   * of its files. `waitForSlot` is awaited before each request but the first.
   */
  jobProgress(id: number, signal?: AbortSignal, waitForSlot?: WaitForSlot): Promise<FollowedProgress>;
  /**
   * The job's event stream if the service has one, otherwise its progress as `jobProgress` returns it. Remembers which.
   */
  jobUpdates: RequestJobUpdates;
  /** The changes of all jobs of the account, if the service has a stream of them; otherwise null. Remembers which. */
  accountUpdates: RequestAccountUpdates;
  cancel(id: number, signal?: AbortSignal): Promise<void>;
  resubmit(id: number, signal?: AbortSignal): Promise<void>;
  /** Removes a job in a final state. An addition that other services do not have. */
  remove(id: number, signal?: AbortSignal): Promise<void>;
  /**
   * Uploads a file. Resolves to its `upload://` URL, which is valid as an input of the same account for 24 hours.
   * Continues after a broken connection if the service can.
   */
  upload(upload: Upload, signal?: AbortSignal): Promise<string>;
  /** Looks up the daemon's address again: it may have restarted at another port. Never rejects. */
  relocate(): Promise<void>;
}

/**
 * Creates a client of the target's service. Sends nothing before the first request. `onRequest` receives a line about
 * each.
 */
export function createClient(target: Target, onRequest?: OnRequest): Client {
  const caller = createCaller(target, onRequest);
  const { call } = caller;
  const jobProgress = createJobProgress(call);
  let updates: RequestJobUpdates | null = null;
  let accountUpdates: RequestAccountUpdates | null = null;

  return {
    get target() {
      return caller.target();
    },
    call,
    open: caller.open,
    jobProgress,
    jobUpdates: async (id, options) => {
      // Only following jobs needs this module.
      const { createJobUpdates } = await import('./job-updates.js');
      updates ??= createJobUpdates(caller.open, jobProgress);
      return updates(id, options);
    },
    accountUpdates: async (options) => {
      const { createAccountUpdates } = await import('./account-updates.js');
      accountUpdates ??= createAccountUpdates(caller.open);
      return accountUpdates(options);
    },
    listJobs: async (filter = {}, signal) => {
      const { page, perPage: per_page, state, text: q, label, account } = filter;
      const query = { page, per_page, state, q, label, account };
      const response = await call('listJobs', { query, signal });
      const hasTerms = [q, label, account].some((term) => term !== undefined);
      const search = response.header('venc-search');
      if (hasTerms && search === undefined) throw noSearchError();
      const records = unwrapJobs(response.body);
      return listedJobs(records, {
        total: readNumber(response.header('x-total-count')),
        pause: readPause(response.header('venc-queue')),
        readCount: readNumber(/^partial; scanned=(\d+)$/.exec(search ?? '')?.[1]),
      });
    },
    job: async (id, signal) => normaliseJob((await call('jobDetails', { values: { id }, signal })).body, id),
    cancel: async (id, signal) => void (await call('cancelJob', { values: { id }, signal })),
    resubmit: async (id, signal) => void (await call('resubmitJob', { values: { id }, signal })),
    remove: async (id, signal) => void (await call('removeJob', { values: { id }, signal })),
    upload: async (file, signal) => (await import('./upload.js')).upload(caller, file, signal),
    relocate: caller.relocate,
  };
}

/** A page of jobs, given as the service sent them. */
export function listedJobs(records: readonly unknown[], facts: ListFacts): ListedJobs {
  let jobs: readonly JobRecord[] | null = null;
  return {
    ...facts,
    records,
    get jobs() {
      jobs ??= records.map((one) => normaliseJob(one));
      return jobs;
    },
  };
}

/** A service without a search ignores the terms and answers with all jobs. */
function noSearchError(): VencError {
  return new VencError('UsageError', 'This service cannot search its jobs.', {
    hint: 'only a venc daemon can do that, and those of earlier versions cannot',
  });
}

/** Reads the header `Venc-Queue` of a list. */
function readPause(header: string | undefined): QueuePause | null {
  const [state, ...parts] = (header ?? '').split('; ');
  if (state !== 'paused') return null;
  const until = parts.find((part) => part.startsWith('until='))?.slice('until='.length) ?? null;
  return {
    until: Number.isNaN(Date.parse(until ?? '')) ? null : until,
    isFrozen: parts.includes('frozen'),
    isOutsideHours: parts.includes('hours'),
  };
}

/** Delays before the second and third attempt, unless the service asks for another delay. */
const retryDelaysMs = [500, 2000] as const;

/**
 * Creates a job (section 4.1). Retries only with an idempotency key, and only at a service that is known to support it:
 * elsewhere, a request whose response was lost may already have created its job. Rejects as `Client.call` does.
 */
export async function createJobWithRetry(
  client: Client,
  request: unknown,
  idempotencyKey: string | null,
  signal?: AbortSignal,
): Promise<ServiceResponse> {
  const headers = idempotencyKey === null ? {} : { 'Idempotency-Key': idempotencyKey };
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await client.call('createJob', { body: request, headers, signal });
    } catch (error) {
      const waitMs = retryDelayMs(error, attempt);
      if (idempotencyKey === null || waitMs === null) throw error;
      if (!(await isVencDaemon(client))) throw toNotRetriedError(error);
      await abortableSleep(waitMs, signal);
      await client.relocate();
    }
  }
}

/** A caller that gave a key relies on it, so the error says that the request was not retried. */
function toNotRetriedError(error: unknown): unknown {
  if (!isVencError(error)) return error;
  const { errorClass, message, messages, cause, retryAfterSeconds } = error;
  const note = 'it was sent once, because this service is not known to support idempotency keys';
  return new VencError(errorClass, message, {
    messages,
    cause,
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    hint: error.hint === null ? note : `${error.hint}; ${note}`,
  });
}

function retryDelayMs(error: unknown, attempt: number): number | null {
  if (!isVencError(error)) return null;
  const isTransient = error.errorClass === 'UnreachableError' || error.entry.retryable;
  return isTransient ? delayAfterError(error, retryDelaysMs[attempt]) : null;
}

/** Whether a service is a `venc daemon`, the only one that is known to support idempotency keys. */
export async function isVencDaemon(client: Client): Promise<boolean> {
  if (client.target.isOwnDaemon === true) return true;
  try {
    return fieldsOf((await client.call('version')).body).name === 'venc';
  } catch {
    return false;
  }
}
