import { isVencError } from '../../src/shared/errors.js';
import { exitCodes } from '../../src/shared/exit-codes.js';
import { redact } from '../../src/shared/redact.js';
import { isFinal } from '../../src/shared/states.js';
import { applyAsHolder } from '../jobs/changes.js';
import type { Job } from '../jobs/job.js';
import { type Fault, faultOf } from '../jobs/job-failure.js';

/** Whether the run with this token still has the job: it was neither finished nor taken away. */
export function isHeld(job: Job, token: string): boolean {
  return job.claim === token && !isFinal(job.state);
}

/**
 * The job after its run ended without finishing it: the input is failed where it was not ready, else every output
 * that is still open. The very same job where the run does not hold it any more. Pure.
 */
export function failWhatIsOpen(job: Job, token: string, fault: Fault, now: Date): Job {
  if (!isHeld(job, token)) return job;
  if (!isFinal(job.input.state)) return applyAsHolder(job, token, { type: 'input-failed', fault }, now);
  return job.outputs
    .filter((output) => !isFinal(output.state))
    .reduce((made, { id }) => applyAsHolder(made, token, { type: 'output-failed', id, fault }, now), job);
}

/** The job given back in good order. The very same job where the run does not hold it any more. Pure. */
export function release(job: Job, token: string, now: Date): Job {
  return isHeld(job, token) ? applyAsHolder(job, token, { type: 'released' }, now) : job;
}

/**
 * The fault that a job gets for what its run threw. Only classes that a file can fail with are kept: others, such as
 * `IllegalChangeError`, speak of a request or of a mistake in this program, not of the file.
 */
export function faultOfRun(thrown: unknown): Fault {
  const fault = faultOf(thrown, 'TranscodingError');
  const isOfAFile =
    isVencError(thrown) && thrown.entry.status === 422 && thrown.entry.exitCode === exitCodes.jobFailed;
  return isOfAFile ? fault : { ...fault, errorClass: 'TranscodingError' };
}

/** Whether what a handler threw only says that its run was stopped, which is no news. */
export function isStopped(thrown: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  if (thrown === signal.reason || isVencError(thrown, 'ClaimLostError')) return true;
  return thrown instanceof Error && thrown.name === 'AbortError';
}

/** An error as the log tells it: our own by their sentence, others with their stack. Holds no secret. */
export function textOf(error: unknown): string {
  if (isVencError(error)) return `${error.errorClass}: ${redact(error.message)}`;
  return redact(error instanceof Error ? (error.stack ?? error.message) : String(error));
}
