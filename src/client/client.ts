import { VencError } from '../shared/errors.js';
import type {
  CreatedRecord,
  InputDetails,
  JobRecord,
  OutputDetails,
  ProgressRecord,
} from '../shared/records.js';
import type { RouteName } from '../shared/routes.js';
import { type Ask, type Asked, createCaller } from './call.js';
import { createJobProgress, type FollowedProgress, type Turn } from './job-progress.js';
import type { AskTidings } from './job-updates.js';
import {
  normaliseCreated,
  normaliseInput,
  normaliseJob,
  normaliseOutput,
  normaliseProgress,
  unwrapJobs,
} from './normalise.js';
import { fieldsOf, readNumber, readText } from './read-values.js';
import type { Target } from './target.js';

/** Which jobs of a list: pages count from 1; `state` is an addition that other services may ignore. */
export interface ListFilter {
  readonly page?: number;
  readonly perPage?: number;
  readonly state?: string;
}

/** One page of jobs, newest first. */
export interface JobPage {
  readonly jobs: readonly JobRecord[];
  /** The same jobs as the service sent them, unwrapped. */
  readonly answers: readonly unknown[];
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
  ask(route: RouteName, ask?: Ask): Promise<Asked>;
  createJob(request: unknown, signal?: AbortSignal): Promise<CreatedRecord>;
  listJobs(filter?: ListFilter, signal?: AbortSignal): Promise<JobPage>;
  job(id: number, signal?: AbortSignal): Promise<JobRecord>;
  /**
   * Where the service has no such route, it is put together from the job's details and its files' progress. Before each request but
   * the first, `turn` is awaited.
   */
  jobProgress(id: number, signal?: AbortSignal, turn?: Turn): Promise<FollowedProgress>;
  /** The job's events as they come, where the service has such a stream; else what `jobProgress` tells. Which of them is remembered. */
  jobTidings: AskTidings;
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
  const { ask } = caller;
  const jobProgress = createJobProgress(ask);
  let tidings: AskTidings | null = null;
  const byId = async (route: RouteName, id: number, signal: AbortSignal | undefined) =>
    (await ask(route, { values: { id }, signal })).body;

  return {
    get target() {
      return caller.target();
    },
    ask,
    jobProgress,
    jobTidings: async (id, options) => {
      // Loaded by who follows jobs, and by nobody else.
      const { createTidings } = await import('./job-updates.js');
      tidings ??= createTidings(caller.open, jobProgress);
      return tidings(id, options);
    },
    createJob: async (request, signal) =>
      normaliseCreated((await ask('createJob', { body: request, signal })).body),
    listJobs: async (filter = {}, signal) => {
      const query = { page: filter.page, per_page: filter.perPage, state: filter.state };
      const answer = await ask('listJobs', { query, signal });
      const answers = unwrapJobs(answer.body);
      return {
        jobs: answers.map((one) => normaliseJob(one)),
        answers,
        total: readNumber(answer.header('x-total-count')),
      };
    },
    job: async (id, signal) => normaliseJob(await byId('jobDetails', id, signal), id),
    input: async (id, signal) => normaliseInput(await byId('inputDetails', id, signal), id),
    output: async (id, signal) => normaliseOutput(await byId('outputDetails', id, signal), id),
    inputProgress: async (id, signal) => normaliseProgress(await byId('inputProgress', id, signal)),
    outputProgress: async (id, signal) => normaliseProgress(await byId('outputProgress', id, signal)),
    cancel: async (id, signal) => void (await ask('cancelJob', { values: { id }, signal })),
    resubmit: async (id, signal) => void (await ask('resubmitJob', { values: { id }, signal })),
    remove: async (id, signal) => void (await ask('removeJob', { values: { id }, signal })),
    upload: async ({ name, sizeBytes, content }, signal) => {
      const answer = await ask('upload', { values: { name }, content: { sizeBytes, content }, signal });
      const url = readText(fieldsOf(answer.body).url);
      if (url !== null) return url;
      throw new VencError(
        'UnreachableError',
        'The service took the file and did not say under which address.',
      );
    },
    relocate: caller.relocate,
  };
}
