import { isFinal, type OutputState } from '../../src/shared/states.js';
import type { Job, JobFailure } from './job.js';

/** Number of crashes after which a job fails with `WorkerLostError`. */
export const crashLimit = 3;

/**
 * Ends the job if all of its outputs have ended. If only the outputs of its claim have ended, the job waits
 * for a machine that makes the others. Until that begins, the record keeps what is known of the input.
 */
export function finishIfComplete(job: Job, at: string): Job {
  const { outputs, claim, worker, claimedOutputs } = job;
  if (outputs.every(({ state }) => isFinal(state))) {
    const ended = { ...withoutClaimedOutputs(job), state: endStateOf(outputs), claim: null, finishedAt: at };
    return ended.state === 'finished' ? withoutDeliveredFiles(ended) : ended;
  }
  if (claim === null || claimedOutputs === undefined) return job;
  if (outputs.some(({ id, state }) => claimedOutputs.includes(id) && !isFinal(state))) return job;
  const ended = { token: claim, outputIds: claimedOutputs, changeNumber: worker?.changeNumber ?? 0 };
  const { input, endedClaims = [] } = job;
  return { ...resetToWaiting(job, at, isFinal), input, endedClaims: [...endedClaims, ended] };
}

/** A finished job is not run again, so that it replaces no file. */
function withoutDeliveredFiles(job: Job): Job {
  const outputs = job.outputs.map((output) => {
    const { deliveredFiles, ...rest } = output;
    return deliveredFiles === undefined ? output : rest;
  });
  return { ...job, outputs };
}

/** The state of a job whose outputs have all ended. A skipped output does not fail it. */
export function endStateOf(outputs: Job['outputs']): 'finished' | 'failed' {
  return outputs.every(({ state }) => state === 'finished' || state === 'skipped') ? 'finished' : 'failed';
}

/** Marks the input as failed and the outputs that have not ended as `no input`. */
export function withFailedInput(job: Job, failure: JobFailure, at: string): Pick<Job, 'input' | 'outputs'> {
  return {
    input: { ...job.input, state: 'failed', failure, updatedAt: at, finishedAt: at },
    outputs: job.outputs.map((output) =>
      isFinal(output.state) ? output : { ...output, state: 'no input', updatedAt: at, finishedAt: at },
    ),
  };
}

/**
 * Resets the job to `waiting`, except for the outputs whose state is kept: those are not encoded again. A resubmit
 * keeps finished outputs. A released or lost run keeps every final state, since only a client may reset a failure.
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
    ...withoutWorker(withoutClaimedOutputs(job)),
    state: 'waiting',
    claim: null,
    finishedAt: null,
    lastProgress: job.lastProgress.filter(({ id }) => keptIds.has(id)),
    input: { ...job.input, ...cleared },
    outputs: job.outputs.map((output) => {
      if (keptIds.has(output.id)) return output;
      const { warnings: _, startedAt: __, ...rest } = output;
      return { ...rest, ...cleared };
    }),
  };
}

/** Releases the job from its worker. Later messages of that worker are ignored. */
export function withoutWorker({ worker: _, ...job }: Job): Job {
  return job;
}

/** The job without the outputs of its claim: the claim has ended. */
export function withoutClaimedOutputs({ claimedOutputs: _, ...job }: Job): Job {
  return job;
}

/** The job without the claims that ended before it did. */
export function withoutEndedClaims({ endedClaims: _, ...job }: Job): Job {
  return job;
}

/** Fails the job after too many crashes, including its input and outputs that have not ended. */
export function failAfterCrashes(job: Job, at: string): Job {
  const failure: JobFailure = {
    errorClass: 'WorkerLostError',
    message: `The daemon was killed or crashed ${crashLimit} times while it worked on this job.`,
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
