import { isVencError } from '../../src/shared/errors.js';
import { exitCodes } from '../../src/shared/exit-codes.js';
import { redact } from '../../src/shared/redact.js';
import { isFinal } from '../../src/shared/states.js';
import { applyAsHolder } from '../jobs/changes.js';
import type { Job } from '../jobs/job.js';
import { type JobFailure, toJobFailure } from '../jobs/job-failure.js';

/** Whether the run with this token still has the job: it was neither finished nor taken away. */
export function holdsClaim(job: Job, token: string): boolean {
  return job.claim === token && !isFinal(job.state);
}

/**
 * The job after its run ended without finishing it: the input is failed where it was not ready, else every output
 * that is still open. The very same job where the run does not hold it any more. Pure.
 */
export function failUnfinished(job: Job, token: string, failure: JobFailure, now: Date): Job {
  if (!holdsClaim(job, token)) return job;
  if (!isFinal(job.input.state)) return applyAsHolder(job, token, { type: 'input-failed', failure }, now);
  return job.outputs
    .filter((output) => !isFinal(output.state))
    .reduce(
      (result, { id }) => applyAsHolder(result, token, { type: 'output-failed', id, failure }, now),
      job,
    );
}

/** The job given back in good order. The very same job where the run does not hold it any more. Pure. */
export function requeue(job: Job, token: string, now: Date): Job {
  return holdsClaim(job, token) ? applyAsHolder(job, token, { type: 'released' }, now) : job;
}

/**
 * The fault that a job gets for what its run threw. Only classes that a file can fail with are kept: others, such as
 * `IllegalChangeError`, speak of a request or of a mistake in this program, not of the file.
 */
export function failureOfRun(error: unknown): JobFailure {
  const failure = toJobFailure(error, 'TranscodingError');
  const isFileFailure =
    isVencError(error) && error.entry.status === 422 && error.entry.exitCode === exitCodes.jobFailed;
  return isFileFailure ? failure : { ...failure, errorClass: 'TranscodingError' };
}

/** Whether what a handler threw only says that its run was stopped, which is no news. */
export function isStopError(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  if (error === signal.reason || isVencError(error, 'ClaimLostError')) return true;
  return error instanceof Error && error.name === 'AbortError';
}

/** An error as the log tells it: our own by their sentence, others with their stack. Holds no secret. */
export function describeError(error: unknown): string {
  if (isVencError(error)) return `${error.errorClass}: ${redact(error.message)}`;
  return redact(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
