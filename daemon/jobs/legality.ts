import { VencError } from '../../src/shared/errors.js';
import { type JobState, jobStates, type OutputState } from '../../src/shared/states.js';
import type { Change, ChangeType } from './change.js';
import type { Job, JobInput, JobOutput } from './job.js';

/** Times a job may be resubmitted (service document, sections 4.4 and 8). */
export const resubmitLimit = 5;

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
  'notice-delivered': jobStates,
  'notice-failed': jobStates,
};

/** In which states of the output itself a change of that output is legal. */
const outputLegalFrom = {
  'output-assigned': ['queued'],
  'output-started': ['queued', 'assigning'],
  'output-finished': ['processing'],
  'output-failed': ['queued', 'assigning', 'processing'],
} as const satisfies Partial<Record<ChangeType, readonly OutputState[]>>;

/**
 * Refuses a change that the state of the job does not allow: `IllegalChangeError`, or where a client asked for it `ConflictError` and
 * `ResubmitLimitError`.
 */
export function requireLegal(job: Job, change: Change): void {
  if (!legalFrom[change.type].includes(job.state)) throw rejectionError(job, change);
  if (change.type === 'resubmitted' && job.resubmits >= resubmitLimit) {
    throw new VencError(
      'ResubmitLimitError',
      `Job ${job.id} was already resubmitted ${resubmitLimit} times, which is the limit.`,
    );
  }
}

function rejectionError(job: Job, change: Change): VencError {
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

/** Refuses a change of the input unless that is in the given state. */
export function requireInput(job: Job, change: Change, state: JobInput['state']): void {
  if (job.input.state === state) return;
  throw new VencError(
    'IllegalChangeError',
    `The input of job ${job.id} is ${job.input.state}: "${change.type}" cannot happen to it.`,
  );
}

/** The output that a change means. Refuses the change where there is none, or its state does not allow it. */
export function requireOutput(job: Job, change: Extract<Change, { id: number }>): JobOutput {
  const found = job.outputs.find((output) => output.id === change.id);
  const legal: readonly OutputState[] = outputLegalFrom[change.type];
  if (found !== undefined && legal.includes(found.state)) return found;
  throw new VencError(
    'IllegalChangeError',
    found === undefined
      ? `Job ${job.id} has no output ${change.id}: "${change.type}" cannot happen to it.`
      : `Output ${change.id} of job ${job.id} is ${found.state}: "${change.type}" cannot happen to it.`,
  );
}
