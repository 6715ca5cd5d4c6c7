import { randomUUID } from 'node:crypto';
import { abortableSleep } from '../../client/abortable-sleep.js';
import type { Client } from '../../client/client.js';
import { fieldsOf, readBoolean, readId } from '../../client/coerce.js';
import { createJobWithRetry, isVencDaemon } from '../../client/create-job-with-retry.js';
import { normaliseCreated } from '../../client/normalise.js';
import { isVencError, type VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { jsonText } from '../../shared/text/safe-text.js';
import { withTypedTerms } from '../input/command-errors.js';
import { printResponseWarnings, type TypedRequest } from '../input/print-warnings.js';
import { affectsAllJobs, reportError } from '../terminal/report-error.js';

/** Creates a job from a request and resolves to the response of the service. */
export type Send = (request: unknown) => Promise<unknown>;

/** One of several jobs to create. */
export interface JobToCreate {
  /** Its name in messages: `line 2`, `film.mov`. */
  readonly name: string;
  /** Its number among all jobs, from 1; it becomes the suffix of the idempotency key. */
  readonly number: number;
  /** Completes the request and sends it. Resolves to the response. */
  readonly submit: (send: Send) => Promise<unknown>;
  /** The command that it comes from, to name settings as they were typed. */
  readonly typed: TypedRequest;
}

/** Options for creating several jobs. */
interface EachOptions {
  readonly client: Client;
  /** Writes to stdout. */
  readonly out: (text: string) => Promise<void>;
  readonly writeStderr: (text: string) => void;
  /** The kind of source of the jobs, for messages. */
  readonly source: 'line' | 'input';
  /**
   * The common part of the idempotency keys; the number of the job is appended, so that a repeated command creates no
   * second jobs.
   */
  readonly idempotencyKey: string | null;
  /** Print complete responses, one per line, instead of ids. */
  readonly isJson: boolean;
  /** Aborts between two jobs or during one. */
  readonly signal: AbortSignal;
  /** The error for an interruption after `created` jobs. */
  readonly interruptedError: (created: number) => VencError;
}

/** The result of creating several jobs. */
export interface SubmittedJobs {
  readonly ids: readonly number[];
  /** The exit code of the first error. */
  readonly code: ExitCode;
}

/** Maximum wait, in seconds, that a service may request between two jobs. */
const maxWaitSeconds = 600;

/**
 * Creates jobs one after the other and prints their ids. An error is reported with the name of its line or input, and
 * the others are still created, unless the service is unreachable or rejects the key. After "too many requests" the
 * next create waits as long as the service requests. Rejects with `interruptedError` if aborted.
 */
export async function submitEach(
  jobs: AsyncIterable<JobToCreate> | Iterable<JobToCreate>,
  options: EachOptions,
): Promise<SubmittedJobs> {
  const { writeStderr, signal, source } = options;
  // An idempotency key allows a retry of a request whose response was lost, if the service supports keys.
  const keyStem = options.idempotencyKey ?? randomUUID();
  const ids: number[] = [];
  let code: ExitCode = exitCodes.done;
  try {
    for await (const job of jobs) {
      signal.throwIfAborted();
      try {
        const id = await submitOne(job, `${keyStem}-${job.number}`, options);
        if (id > 0) ids.push(id);
      } catch (error) {
        signal.throwIfAborted();
        if (!isVencError(error)) throw error;
        code = reportError({ writeStderr }, await withTypedTerms(error, job.typed), job.name, code);
        if (affectsAllJobs(error)) {
          writeStderr(`venc: the ${source}s after ${job.name} were not submitted\n`);
          break;
        }
        // The next request would be rejected before that time as well.
        await abortableSleep((requestedWaitSeconds(error) ?? 0) * 1000, signal);
      }
    }
  } catch (error) {
    throw signal.aborted ? options.interruptedError(ids.length) : error;
  }
  return { ids, code };
}

/** Creates one job and prints its id; 0 if it has none. */
async function submitOne(job: JobToCreate, key: string, options: EachOptions): Promise<number> {
  const { isJson, writeStderr, out } = options;
  let isMock = false;
  let sent: unknown = null;
  const body = await job.submit((request) => {
    sent = request;
    isMock = readBoolean(fieldsOf(request).mock);
    return createJobWithWait(request, key, {
      ...options,
      onWait: (seconds) => writeStderr(`venc: ${job.name}: the service asks to wait for ${seconds} s\n`),
    });
  });
  const id = readId(normaliseCreated(body).id);
  if (isJson) await out(`${jsonText(body)}\n`);
  else if (id > 0) await out(`${id}\n`);
  await printResponseWarnings(body, sent, { io: { writeStderr }, typed: job.typed, where: `${job.name}: ` });
  if (id === 0) {
    const what = isMock
      ? 'the request is valid; nothing was queued'
      : 'accepted, but the response has no job id';
    writeStderr(`venc: ${job.name}: ${what}\n`);
  }
  return id;
}

/** Waits as long as the service requests, and retries if that cannot create a second job. */
async function createJobWithWait(
  request: unknown,
  key: string,
  { client, signal, onWait }: EachOptions & { readonly onWait: (seconds: number) => void },
): Promise<unknown> {
  for (;;) {
    try {
      return (await createJobWithRetry(client, request, key, signal)).body;
    } catch (error) {
      const seconds = requestedWaitSeconds(error);
      if (seconds === null || !(await isVencDaemon(client))) throw error;
      onWait(seconds);
      await abortableSleep(seconds * 1000, signal);
    }
  }
}

/** The wait in seconds that the service requests after too many requests; null for every other error. */
function requestedWaitSeconds(error: unknown): number | null {
  if (!isVencError(error, 'TooManyRequestsError')) return null;
  const { retryAfterSeconds } = error;
  return retryAfterSeconds !== null && retryAfterSeconds <= maxWaitSeconds
    ? Math.max(1, retryAfterSeconds)
    : null;
}
