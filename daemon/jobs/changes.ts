import { VencError } from '../../src/api/errors.js';
import { isFinal, type JobState, type OutputState } from '../../src/api/states.js';
import type { Fault } from './fault.js';
import type { FileFacts, Job, JobInput, JobOutput } from './job.js';
import type { MediaFacts } from './media.js';

/** Times a job may be resubmitted (service document, sections 4.4 and 8). */
export const resubmitLimit = 5;
/** Crashes after which a job is given up with `WorkerLostError`. */
export const crashLimit = 3;

/** Everything that can happen to a job. */
export type Change =
  | { readonly type: 'queued' }
  | { readonly type: 'claimed'; readonly token: string }
  | { readonly type: 'inspected'; readonly media: MediaFacts; readonly file: FileFacts }
  | { readonly type: 'input-failed'; readonly fault: Fault }
  | { readonly type: 'output-assigned'; readonly id: number }
  | { readonly type: 'output-started'; readonly id: number }
  | {
      readonly type: 'output-finished';
      readonly id: number;
      readonly media: MediaFacts;
      readonly file: FileFacts;
    }
  | { readonly type: 'output-failed'; readonly id: number; readonly fault: Fault }
  /** The run gives the job back in good order, as at a stop of the daemon. */
  | { readonly type: 'released' }
  /** The run ended without a word, as a start of the daemon finds out. */
  | { readonly type: 'lost' }
  | { readonly type: 'cancelled' }
  | { readonly type: 'resubmitted' };

/** The name of a change. */
export type ChangeType = Change['type'];

/** In which states of the job each change is legal. Everything else is refused. */
const legalFrom: Readonly<Record<ChangeType, readonly JobState[]>> = {
  queued: ['pending'],
  claimed: ['waiting'],
  inspected: ['processing'],
  'input-failed': ['processing'],
  'output-assigned': ['processing'],
  'output-started': ['processing'],
  'output-finished': ['processing'],
  'output-failed': ['processing'],
  released: ['processing'],
  lost: ['processing'],
  cancelled: ['waiting', 'processing'],
  resubmitted: ['pending', 'waiting', 'processing', 'failed', 'cancelled'],
};

/** In which states of the output itself a change of that output is legal. */
const outputLegalFrom = {
  'output-assigned': ['queued'],
  'output-started': ['queued', 'assigning'],
  'output-finished': ['processing'],
  'output-failed': ['queued', 'assigning', 'processing'],
} as const satisfies Partial<Record<ChangeType, readonly OutputState[]>>;

/**
 * The state machine: the job that a change makes of a job. Pure.
 * Throws `IllegalChangeError` (`ConflictError` or `ResubmitLimitError` where a client asked for the change)
 * when the step is not legal; the job is then as it was.
 */
export function apply(job: Job, change: Change, now: Date): Job {
  const at = now.toISOString();
  if (!legalFrom[change.type].includes(job.state)) throw refusal(job, change);
  const touched = { ...job, updatedAt: at };
  switch (change.type) {
    case 'queued':
      return { ...touched, state: 'waiting' };
    case 'claimed':
      return {
        ...touched,
        state: 'processing',
        claim: change.token,
        input: { ...job.input, state: 'processing', updatedAt: at },
      };
    case 'inspected':
      requireInput(job, change, 'processing');
      return {
        ...touched,
        input: {
          ...job.input,
          state: 'finished',
          media: change.media,
          file: change.file,
          updatedAt: at,
          finishedAt: at,
        },
        outputs: job.outputs.map((output) =>
          output.state === 'waiting' ? { ...output, state: 'queued', updatedAt: at } : output,
        ),
      };
    case 'input-failed':
      requireInput(job, change, 'processing');
      return settle({ ...touched, ...failedInput(job, change.fault, at) }, at);
    case 'output-assigned':
      return withOutput(touched, change, { state: 'assigning', updatedAt: at });
    case 'output-started':
      return withOutput(touched, change, { state: 'processing', updatedAt: at });
    case 'output-finished':
      return settle(
        withOutput(touched, change, {
          state: 'finished',
          media: change.media,
          file: change.file,
          updatedAt: at,
          finishedAt: at,
        }),
        at,
      );
    case 'output-failed':
      return settle(
        withOutput(touched, change, { state: 'failed', fault: change.fault, updatedAt: at, finishedAt: at }),
        at,
      );
    case 'released':
      return backToWaiting(touched, at, isFinal);
    case 'lost':
      return job.crashes + 1 >= crashLimit
        ? givenUp({ ...touched, crashes: job.crashes + 1 }, at)
        : { ...backToWaiting(touched, at, isFinal), crashes: job.crashes + 1 };
    case 'cancelled':
      return {
        ...touched,
        state: 'cancelled',
        claim: null,
        finishedAt: at,
        input: isFinal(job.input.state)
          ? job.input
          : { ...job.input, state: 'cancelled', updatedAt: at, finishedAt: at },
        outputs: job.outputs.map((output) =>
          isFinal(output.state) ? output : { ...output, state: 'cancelled', updatedAt: at, finishedAt: at },
        ),
      };
    case 'resubmitted':
      if (job.resubmits >= resubmitLimit) {
        throw new VencError(
          'ResubmitLimitError',
          `Job ${job.id} was already resubmitted ${resubmitLimit} times, which is the limit.`,
        );
      }
      return {
        ...backToWaiting(touched, at, (state) => state === 'finished'),
        submittedAt: at,
        resubmits: job.resubmits + 1,
        crashes: 0,
      };
  }
}

/**
 * The same for a change that comes from a run: refused with `ClaimLostError` unless the run still holds the job.
 */
export function applyAsHolder(job: Job, token: string, change: Change, now: Date): Job {
  if (job.claim !== token) throw new VencError('ClaimLostError', `This run no longer holds job ${job.id}.`);
  return apply(job, change, now);
}

function refusal(job: Job, change: Change): VencError {
  if (change.type === 'cancelled') {
    return new VencError(
      'ConflictError',
      `Job ${job.id} is ${job.state}: only a waiting or processing job can be cancelled.`,
    );
  }
  if (change.type === 'resubmitted') {
    return new VencError(
      'ConflictError',
      `Job ${job.id} is finished: only a job that did not finish can be resubmitted.`,
    );
  }
  return new VencError(
    'IllegalChangeError',
    `Job ${job.id} is ${job.state}: "${change.type}" cannot happen to it.`,
  );
}

function requireInput(job: Job, change: Change, state: JobInput['state']): void {
  if (job.input.state === state) return;
  throw new VencError(
    'IllegalChangeError',
    `The input of job ${job.id} is ${job.input.state}: "${change.type}" cannot happen to it.`,
  );
}

function withOutput(job: Job, change: Extract<Change, { id: number }>, edit: Partial<JobOutput>): Job {
  const found = job.outputs.find((output) => output.id === change.id);
  const legal: readonly OutputState[] = outputLegalFrom[change.type];
  if (found === undefined || !legal.includes(found.state)) {
    throw new VencError(
      'IllegalChangeError',
      found === undefined
        ? `Job ${job.id} has no output ${change.id}: "${change.type}" cannot happen to it.`
        : `Output ${change.id} of job ${job.id} is ${found.state}: "${change.type}" cannot happen to it.`,
    );
  }
  return {
    ...job,
    outputs: job.outputs.map((output) => (output === found ? { ...output, ...edit } : output)),
  };
}

/** Ends the job once nothing of it is left to do. */
function settle(job: Job, at: string): Job {
  if (!job.outputs.every((output) => isFinal(output.state))) return job;
  const isFinished = job.outputs.every((output) => output.state === 'finished');
  return { ...job, state: isFinished ? 'finished' : 'failed', claim: null, finishedAt: at };
}

function failedInput(job: Job, fault: Fault, at: string): Pick<Job, 'input' | 'outputs'> {
  return {
    input: { ...job.input, state: 'failed', fault, updatedAt: at, finishedAt: at },
    outputs: job.outputs.map((output) =>
      isFinal(output.state) ? output : { ...output, state: 'no input', updatedAt: at, finishedAt: at },
    ),
  };
}

/**
 * The job as new, but for the outputs whose state is to be kept: those are not encoded again. A resubmit keeps what
 * is finished; a run that merely ended keeps failures too, since a final state changes only when somebody asks.
 */
function backToWaiting(job: Job, at: string, isKept: (state: OutputState) => boolean): Job {
  return {
    ...job,
    state: 'waiting',
    claim: null,
    finishedAt: null,
    input: {
      ...job.input,
      state: 'waiting',
      media: null,
      file: null,
      fault: null,
      updatedAt: at,
      finishedAt: null,
    },
    outputs: job.outputs.map((output) =>
      isKept(output.state)
        ? output
        : {
            ...output,
            state: 'waiting',
            media: null,
            file: null,
            fault: null,
            updatedAt: at,
            finishedAt: null,
          },
    ),
  };
}

function givenUp(job: Job, at: string): Job {
  const fault: Fault = {
    errorClass: 'WorkerLostError',
    message: `The daemon was ended ${crashLimit} times while it worked on this job.`,
  };
  if (!isFinal(job.input.state)) return settle({ ...job, ...failedInput(job, fault, at) }, at);
  const outputs = job.outputs.map((output) =>
    isFinal(output.state)
      ? output
      : ({ ...output, state: 'failed', fault, updatedAt: at, finishedAt: at } as const),
  );
  return settle({ ...job, outputs }, at);
}
