import { randomUUID } from 'node:crypto';
import { abortableSleep } from '../../client/abortable-sleep.js';
import type { Client } from '../../client/client.js';
import { fieldsOf, readBoolean, readId } from '../../client/coerce.js';
import { createJobWithRetry, isVencDaemon } from '../../client/create-job-with-retry.js';
import { normaliseCreated } from '../../client/normalise.js';
import { isVencError, type VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { jsonText } from '../../shared/text/safe-text.js';
import { affectsAllJobs, reportError } from '../terminal/report-error.js';

/** Creates the job of a request and gives the answer of the service. */
export type Send = (request: unknown) => Promise<unknown>;

/** One of several jobs to be created. */
export interface JobToCreate {
  /** What messages call it: `line 2`, `film.mov`. */
  readonly name: string;
  /** Its place among all, from 1 on: an idempotency key ends in it. */
  readonly number: number;
  /** Makes the request ready and sends it. Gives the answer. */
  readonly submit: (send: Send) => Promise<unknown>;
  /** A rejection in the words of the command line, where its settings come from there. */
  readonly toTypedTerms: (error: VencError) => Promise<VencError>;
}

/** How several jobs are created. */
export interface EachOptions {
  readonly client: Client;
  /** Writes a line of the answer. */
  readonly out: (text: string) => Promise<void>;
  readonly writeStderr: (text: string) => void;
  /** What the jobs come from, in messages. */
  readonly source: 'line' | 'input';
  /** Each job has this key with its number behind it, so that the same ones may be submitted twice. */
  readonly idempotencyKey: string | null;
  /** Print the service's whole answers, one a line. */
  readonly isJson: boolean;
  /** Ends it between two jobs, or in the middle of one. */
  readonly signal: AbortSignal;
  /** What an interruption is reported as, after so many jobs were created. */
  readonly interruptedError: (created: number) => VencError;
}

/** What became of several jobs. */
export interface SubmittedJobs {
  readonly ids: readonly number[];
  /** That of the first error. */
  readonly code: ExitCode;
}

/** Greatest time that a service may ask to wait between two jobs. */
const longestWaitSeconds = 600;

/**
 * Creates jobs one after the other and prints their ids. An error is reported with the name of its line or input, and the others are
 * created all the same, unless the service is unreachable or refuses the key. After "too many requests" the next one waits for as long as
 * the service asks. Rejects with the error of `interrupted`.
 */
export async function submitEach(
  jobs: AsyncIterable<JobToCreate> | Iterable<JobToCreate>,
  options: EachOptions,
): Promise<SubmittedJobs> {
  const { writeStderr, signal, source } = options;
  // With a key of its own, a request whose answer was lost can be repeated, where the service supports keys.
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
        code = reportError({ writeStderr }, await job.toTypedTerms(error), job.name, code);
        if (affectsAllJobs(error)) {
          writeStderr(`venc: the ${source}s after ${job.name} were not submitted\n`);
          break;
        }
        // Not even the next one has a chance before that.
        await abortableSleep((askedWaitSeconds(error) ?? 0) * 1000, signal);
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
  const body = await job.submit((request) => {
    isMock = readBoolean(fieldsOf(request).mock);
    return createJobWithWait(request, key, {
      ...options,
      onWait: (seconds) => writeStderr(`venc: ${job.name}: the service asks to wait for ${seconds} s\n`),
    });
  });
  const id = readId(normaliseCreated(body).id);
  if (isJson) await out(`${jsonText(body)}\n`);
  else if (id > 0) await out(`${id}\n`);
  if (id === 0) {
    const what = isMock ? 'the request is valid; nothing was queued' : 'taken, but the answer names no job';
    writeStderr(`venc: ${job.name}: ${what}\n`);
  }
  return id;
}

/** Waits as long as the service asks, and retries the request if that cannot create a second job. */
async function createJobWithWait(
  request: unknown,
  key: string,
  { client, signal, onWait }: EachOptions & { readonly onWait: (seconds: number) => void },
): Promise<unknown> {
  for (;;) {
    try {
      return (await createJobWithRetry(client, request, key, signal)).body;
    } catch (error) {
      const seconds = askedWaitSeconds(error);
      if (seconds === null || !(await isVencDaemon(client))) throw error;
      onWait(seconds);
      await abortableSleep(seconds * 1000, signal);
    }
  }
}

/** For how long a service that is asked too often wants no request; null for every other error. */
function askedWaitSeconds(error: unknown): number | null {
  if (!isVencError(error, 'TooManyRequestsError')) return null;
  const { retryAfterSeconds } = error;
  return retryAfterSeconds !== null && retryAfterSeconds <= longestWaitSeconds
    ? Math.max(1, retryAfterSeconds)
    : null;
}
