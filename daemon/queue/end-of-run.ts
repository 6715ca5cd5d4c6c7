import { isVencError } from '../../src/shared/errors.js';
import { exitCodes } from '../../src/shared/exit-codes.js';
import { redact } from '../../src/shared/redact.js';
import { isFinal } from '../../src/shared/states.js';
import { applyAsHolder } from '../jobs/changes.js';
import type { Job } from '../jobs/job.js';
import { type JobFailure, toJobFailure } from '../jobs/job.js';
import type { JobProgress } from '../jobs/progress.js';

/**
 * Whether the run with this token still holds the job: the job is not final and was not claimed by another
 * run.
 */
function holdsClaim(job: Job, token: string): boolean {
  return job.claim === token && !isFinal(job.state);
}

/**
 * The job after its run ended without finishing it. If the input is not ready, it fails; otherwise every
 * unfinished output of the claim fails. Returns the same object if the run no longer holds the job. Pure.
 */
export function failUnfinished(job: Job, token: string, failure: JobFailure, now: Date): Job {
  if (!holdsClaim(job, token)) return job;
  if (!isFinal(job.input.state)) return applyAsHolder(job, token, { type: 'input-failed', failure }, now);
  const { claimedOutputs } = job;
  const unfinished = job.outputs.filter(
    ({ id, state }) => !isFinal(state) && (claimedOutputs?.includes(id) ?? true),
  );
  const [waiting, started] = [true, false].map((isWaiting) =>
    unfinished.filter(({ state }) => (state === 'waiting') === isWaiting),
  );
  const failed = (started ?? []).reduce(
    (result, { id }) => applyAsHolder(result, token, { type: 'output-failed', id, failure }, now),
    job,
  );
  // A failed source has ended the outputs that wait for it. The others wait for a source that is made again.
  return (waiting ?? []).reduce((result, { id }) => {
    const isHeld = holdsClaim(result, token);
    const isWaiting =
      isHeld && result.outputs.some((output) => output.id === id && output.state === 'waiting');
    return isWaiting ? applyAsHolder(result, token, { type: 'source-failed', id, failure }, now) : result;
  }, failed);
}

/**
 * The job after its run ended early: released to the queue, or lost, which counts as a crash. Of a lost remote worker, its last progress is
 * given: that counts only if it inspected or encoded the job, because it transfers other jobs meanwhile. Returns the same object if the run no
 * longer holds the job. Pure.
 */
export function requeue(job: Job, token: string, how: 'released' | 'lost' | JobProgress, now: Date): Job {
  if (!holdsClaim(job, token)) return job;
  const type = typeof how === 'string' ? how : isBlamed(job, how) ? 'lost' : 'released';
  return applyAsHolder(job, token, { type }, now);
}

/** Whether a job may be the reason for the end of a worker that has reported this progress of it. */
function isBlamed({ input, outputs }: Job, progress: JobProgress): boolean {
  if (!isFinal(input.state)) return progress.get(input.id)?.event === 'inspecting';
  return outputs.some(({ id, state }) => state === 'processing' && progress.get(id)?.event !== 'uploading');
}

/**
 * The failure of a job for an error of its run. Only error classes that a file can fail with are kept:
 * others, such as `IllegalChangeError`, concern a request or a bug in this program, not the file. Until the input is there, the error is one of
 * the download.
 */
export function failureOfRun(error: unknown, { input }: Pick<Job, 'input'>): JobFailure {
  const fallback = isFinal(input.state) ? 'TranscodingError' : 'DownloadFailureError';
  const failure = toJobFailure(error, fallback);
  const isFileFailure =
    isVencError(error) && error.entry.status === 422 && error.entry.exitCode === exitCodes.jobFailed;
  return isFileFailure ? failure : { ...failure, errorClass: fallback };
}

/** Whether an error only means that the run was stopped. */
export function isStopError(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  if (error === signal.reason || isVencError(error, 'ClaimLostError')) return true;
  return error instanceof Error && error.name === 'AbortError';
}

/** An error as log text: a `VencError` by its class and message, others by their stack. Contains no secret. */
export function describeError(error: unknown): string {
  if (isVencError(error)) return redact(String(error));
  return redact(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
