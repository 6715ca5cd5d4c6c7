import { isFinal, type OutputState } from '../../src/shared/states.js';
import type { Job } from './job.js';
import type { JobFailure } from './job-failure.js';

/** Crashes after which a job is given up with `WorkerLostError`. */
export const crashLimit = 3;

/** Ends the job once nothing of it is left to do. */
export function finishIfComplete(job: Job, at: string): Job {
  if (!job.outputs.every((output) => isFinal(output.state))) return job;
  const isFinished = job.outputs.every((output) => output.state === 'finished');
  return { ...job, state: isFinished ? 'finished' : 'failed', claim: null, finishedAt: at };
}

/** The input failed, and what was to be made of it with it. */
export function withFailedInput(job: Job, failure: JobFailure, at: string): Pick<Job, 'input' | 'outputs'> {
  return {
    input: { ...job.input, state: 'failed', failure, updatedAt: at, finishedAt: at },
    outputs: job.outputs.map((output) =>
      isFinal(output.state) ? output : { ...output, state: 'no input', updatedAt: at, finishedAt: at },
    ),
  };
}

/**
 * The job as new, but for the outputs whose state is to be kept: those are not encoded again. A resubmit keeps what
 * is finished; a run that merely ended keeps failures too, since a final state changes only when somebody asks.
 */
export function resetToWaiting(job: Job, at: string, shouldKeep: (state: OutputState) => boolean): Job {
  const cleared = {
    state: 'waiting',
    media: null,
    file: null,
    failure: null,
    updatedAt: at,
    finishedAt: null,
  } as const;
  const keptIds = new Set(job.outputs.filter(({ state }) => shouldKeep(state)).map(({ id }) => id));
  return {
    ...job,
    state: 'waiting',
    claim: null,
    finishedAt: null,
    lastProgress: job.lastProgress.filter(({ id }) => keptIds.has(id)),
    input: { ...job.input, ...cleared },
    outputs: job.outputs.map((output) => (keptIds.has(output.id) ? output : { ...output, ...cleared })),
  };
}

/** The job of which nothing is tried any more: what is open of it has failed. */
export function failAfterCrashes(job: Job, at: string): Job {
  const failure: JobFailure = {
    errorClass: 'WorkerLostError',
    message: `The daemon was ended ${crashLimit} times while it worked on this job.`,
  };
  if (!isFinal(job.input.state))
    return finishIfComplete({ ...job, ...withFailedInput(job, failure, at) }, at);
  const outputs = job.outputs.map((output) =>
    isFinal(output.state)
      ? output
      : ({ ...output, state: 'failed', failure, updatedAt: at, finishedAt: at } as const),
  );
  return finishIfComplete({ ...job, outputs }, at);
}
