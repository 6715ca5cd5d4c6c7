import { VencError } from '../../src/shared/errors.js';
import { isFinal } from '../../src/shared/states.js';
import type { Change } from './change.js';
import {
  crashLimit,
  failAfterCrashes,
  finishIfComplete,
  resetToWaiting,
  withFailedInput,
} from './end-states.js';
import type { Job, JobOutput } from './job.js';
import { requireInput, requireLegal, requireOutput } from './legality.js';
import { withAttempt, withDueNotifications } from './notifications.js';
import { thumbnailsOf } from './thumbnails.js';

export type { Change, ChangeType } from './change.js';
export { crashLimit } from './end-states.js';
export { resubmitLimit } from './legality.js';

/**
 * The state machine: the job that a change makes of a job, with the notices of what came to its end by it. Pure. What becomes
 * of notices leaves everything else of the job as it is, `updatedAt` included.
 * Throws `IllegalChangeError` (`ConflictError` or `ResubmitLimitError` where a client asked for the change)
 * when the step is not legal; the job is then as it was.
 */
export function apply(job: Job, change: Change, now: Date): Job {
  requireLegal(job, change);
  switch (change.type) {
    case 'notice-delivered':
    case 'notice-failed':
      return withAttempt(job, change.notificationId, change.type === 'notice-delivered', now);
    default: {
      const at = now.toISOString();
      return withDueNotifications(job, applyJobChange(job, change, at), at);
    }
  }
}

/** The job that a legal change of the job itself makes of it, before anybody is told. */
function applyJobChange(job: Job, change: Exclude<Change, { notificationId: string }>, at: string): Job {
  const updated = { ...job, updatedAt: at };
  switch (change.type) {
    case 'queued':
      return { ...updated, state: 'waiting' };
    case 'claimed':
      return {
        ...updated,
        state: 'processing',
        claim: change.token,
        input: { ...job.input, state: 'processing', updatedAt: at },
      };
    case 'inspected':
      requireInput(job, change, 'processing');
      return {
        ...updated,
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
      return finishIfComplete({ ...updated, ...withFailedInput(job, change.failure, at) }, at);
    case 'output-assigned':
      return withOutput(updated, change, { state: 'assigning', updatedAt: at });
    case 'output-started':
      return withOutput(updated, change, { state: 'processing', updatedAt: at });
    case 'output-finished':
      return finishIfComplete(
        withOutput(updated, change, {
          state: 'finished',
          media: change.media,
          file: change.file,
          thumbnails: thumbnailsOf(job, requireOutput(job, change), at),
          updatedAt: at,
          finishedAt: at,
        }),
        at,
      );
    case 'output-failed':
      return finishIfComplete(
        withOutput(updated, change, {
          state: 'failed',
          failure: change.failure,
          updatedAt: at,
          finishedAt: at,
        }),
        at,
      );
    case 'released':
      return resetToWaiting(updated, at, isFinal);
    case 'lost':
      return job.crashes + 1 >= crashLimit
        ? failAfterCrashes({ ...updated, crashes: job.crashes + 1 }, at)
        : { ...resetToWaiting(updated, at, isFinal), crashes: job.crashes + 1 };
    case 'cancelled':
      return {
        ...updated,
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
      return {
        ...resetToWaiting(updated, at, (state) => state === 'finished'),
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

function withOutput(job: Job, change: Extract<Change, { id: number }>, edit: Partial<JobOutput>): Job {
  const applyJobChange = requireOutput(job, change);
  return {
    ...job,
    outputs: job.outputs.map((output) => (output === applyJobChange ? { ...output, ...edit } : output)),
  };
}
