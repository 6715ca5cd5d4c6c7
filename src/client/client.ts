import { VencError } from '../shared/errors.js';
import type {
  CreatedRecord,
  InputDetails,
  JobRecord,
  OutputDetails,
  ProgressRecord,
} from '../shared/records.js';
import type { RouteName } from '../shared/routes.js';
import { type CallOptions, createCaller, type ServiceResponse } from './call.js';
import { fieldsOf, readNumber, readText } from './coerce.js';
import { createJobProgress, type FollowedProgress, type WaitForSlot } from './job-progress.js';
import type { RequestJobUpdates } from './job-updates.js';
import {
  normaliseCreated,
  normaliseInput,
  normaliseJob,
  normaliseOutput,
  normaliseProgress,
  unwrapJobs,
} from './normalise.js';
import type { Target } from './target.js';

/** Which jobs of a list: pages count from 1; `state` is an addition that other services may ignore. */
export interface ListFilter {
  readonly page?: number;
  readonly perPage?: number;
  readonly state?: string;
}

/** One page of jobs, newest first. */
export interface ListedJobs {
  readonly jobs: readonly JobRecord[];
  /** The same jobs as the service sent them, unwrapped. */
  readonly records: readonly unknown[];
  /** How many there are on all pages together; null where the service does not tell. */
  readonly total: number | null;
}

/** A file on its way to the service. */
export interface Upload {
  readonly name: string;
  readonly sizeBytes: number;
  readonly content: AsyncIterable<Uint8Array>;
}

/**
 * Speaks the REST API of one service and prints nothing. Records are tolerant readings: every key is there, numbers are
 * numbers. Everything rejects with `VencError`: by status as the error table has it, `UnreachableError` where no
 * answer came, `InterruptedError` when the signal ended it. Safe methods are tried again a few times after 429 and 5xx.
 */
export interface Client {
  readonly target: Target;
  /** The answer to a route as it came, parsed but not normalised: what `--json` prints. */
  call(route: RouteName, call?: CallOptions): Promise<ServiceResponse>;
  createJob(request: unknown, signal?: AbortSignal): Promise<CreatedRecord>;
  listJobs(filter?: ListFilter, signal?: AbortSignal): Promise<ListedJobs>;
  job(id: number, signal?: AbortSignal): Promise<JobRecord>;
  /**
   * Where the service has no such route, it is put together from the job's details and its files' progress. Before each request but
   * the first, `turn` is awaited.
   */
  jobProgress(id: number, signal?: AbortSignal, waitForSlot?: WaitForSlot): Promise<FollowedProgress>;
  /** The job's events as they come, where the service has such a stream; else what `jobProgress` tells. Which of them is remembered. */
  jobUpdates: RequestJobUpdates;
  input(id: number, signal?: AbortSignal): Promise<InputDetails>;
  output(id: number, signal?: AbortSignal): Promise<OutputDetails>;
  inputProgress(id: number, signal?: AbortSignal): Promise<ProgressRecord>;
  outputProgress(id: number, signal?: AbortSignal): Promise<ProgressRecord>;
  cancel(id: number, signal?: AbortSignal): Promise<void>;
  resubmit(id: number, signal?: AbortSignal): Promise<void>;
  /** Removes a job that has ended. An addition: other services do not know it. */
  remove(id: number, signal?: AbortSignal): Promise<void>;
  /** Uploads a file and gives its `upload://` address, good as an input of the same account for 24 hours. */
  upload(upload: Upload, signal?: AbortSignal): Promise<string>;
  /** Looks the daemon up again, which may have come back at another address. Never rejects. */
  relocate(): Promise<void>;
}

/** A client of the service that a target names. Nothing is sent before the first question. */
export function createClient(target: Target): Client {
  const caller = createCaller(target);
  const { call } = caller;
  const jobProgress = createJobProgress(call);
  let updates: RequestJobUpdates | null = null;
  const byId = async (route: RouteName, id: number, signal: AbortSignal | undefined) =>
    (await call(route, { values: { id }, signal })).body;

  return {
    get target() {
      return caller.target();
    },
    call,
    jobProgress,
    jobUpdates: async (id, options) => {
      // Loaded by who follows jobs, and by nobody else.
      const { createJobUpdates } = await import('./job-updates.js');
      updates ??= createJobUpdates(caller.open, jobProgress);
      return updates(id, options);
    },
    createJob: async (request, signal) =>
      normaliseCreated((await call('createJob', { body: request, signal })).body),
    listJobs: async (filter = {}, signal) => {
      const query = { page: filter.page, per_page: filter.perPage, state: filter.state };
      const response = await call('listJobs', { query, signal });
      const records = unwrapJobs(response.body);
      return {
        jobs: records.map((one) => normaliseJob(one)),
        records,
        total: readNumber(response.header('x-total-count')),
      };
    },
    job: async (id, signal) => normaliseJob(await byId('jobDetails', id, signal), id),
    input: async (id, signal) => normaliseInput(await byId('inputDetails', id, signal), id),
    output: async (id, signal) => normaliseOutput(await byId('outputDetails', id, signal), id),
    inputProgress: async (id, signal) => normaliseProgress(await byId('inputProgress', id, signal)),
    outputProgress: async (id, signal) => normaliseProgress(await byId('outputProgress', id, signal)),
    cancel: async (id, signal) => void (await call('cancelJob', { values: { id }, signal })),
    resubmit: async (id, signal) => void (await call('resubmitJob', { values: { id }, signal })),
    remove: async (id, signal) => void (await call('removeJob', { values: { id }, signal })),
    upload: async ({ name, sizeBytes, content }, signal) => {
      const response = await call('upload', { values: { name }, content: { sizeBytes, content }, signal });
      const url = readText(fieldsOf(response.body).url);
      if (url !== null) return url;
      throw new VencError(
        'UnreachableError',
        'The service took the file and did not say under which address.',
      );
    },
    relocate: caller.relocate,
  };
}
