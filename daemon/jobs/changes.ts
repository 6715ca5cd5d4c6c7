import { VencError } from '../../src/shared/errors.js';
import { isPlaylist } from '../../src/shared/settings/playlists.js';
import { isFinal, type OutputState } from '../../src/shared/states.js';
import type { Job, JobFailure, JobOutput } from './job.js';
import { type Change, requireInput, requireLegal, requireOutput } from './legal-changes.js';
import { withAttempt, withDueNotifications } from './notifications.js';
import { skippedSource, sourceFailure, withoutSource } from './output-graph.js';
import { recordThumbnails } from './thumbnails.js';

/** Number of crashes after which a job fails with `WorkerLostError`. */
export const crashLimit = 3;

/**
 * The state machine: returns the job after a change, with notifications for the job and the outputs that the change ended. Pure.
 * Changes of notifications leave the rest of the job unchanged, including `updatedAt`.
 * Throws if the change is not legal: `ConflictError` or `ResubmitLimitError` for changes that a client requests, otherwise
 * `IllegalChangeError`.
 */
export function apply(job: Job, change: Change, now: Date): Job {
  requireLegal(job, change);
  switch (change.type) {
    case 'notification-delivered':
    case 'notification-failed':
      return withAttempt(job, change.notificationId, change.type === 'notification-delivered', now);
    default: {
      const at = now.toISOString();
      return withDueNotifications(job, applyJobChange(job, change, at), at);
    }
  }
}

/** Applies a legal change, other than of a notification, and adds no notifications. */
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
          output.state === 'waiting' && output.settings.source === undefined && !isPlaylist(output.settings)
            ? { ...output, state: 'queued', updatedAt: at }
            : output,
        ),
      };
    case 'input-failed':
      requireInput(job, change, 'processing');
      return finishIfComplete({ ...updated, ...withFailedInput(job, change.failure, at) }, at);
    case 'output-assigned':
      return withOutput(updated, change, { state: 'assigning', updatedAt: at });
    case 'output-started':
      return withOutput(updated, change, {
        state: 'processing',
        updatedAt: at,
        ...warningsAfter({}, change.warnings),
      });
    case 'output-finished': {
      const delivered = withOutput(updated, change, secondaryDelivery(requireOutput(job, change), change));
      return finishIfComplete(
        withOutput(delivered, change, {
          state: 'finished',
          media: change.media,
          file: change.file,
          ...(change.rendition === undefined ? {} : { rendition: change.rendition }),
          ...(change.captionFiles === undefined ? {} : { captionFiles: change.captionFiles }),
          thumbnails: recordThumbnails(
            delivered,
            requireOutput(delivered, change),
            change.thumbnails ?? [],
            at,
          ),
          ...warningsAfter(requireOutput(job, change), change.warnings),
          updatedAt: at,
          finishedAt: at,
        }),
        at,
      );
    }
    case 'output-failed':
      return finishIfComplete(
        withoutDependents(
          withOutput(updated, change, {
            state: 'failed',
            failure: change.failure,
            updatedAt: at,
            finishedAt: at,
          }),
          change.id,
          at,
        ),
        at,
      );
    case 'output-queued':
      return withOutput(updated, change, { state: 'queued', updatedAt: at });
    case 'source-failed':
      return finishIfComplete(
        withoutDependents(
          withOutput(updated, change, {
            state: 'no input',
            failure: change.failure,
            updatedAt: at,
            finishedAt: at,
          }),
          change.id,
          at,
        ),
        at,
      );
    case 'output-skipped':
      return finishIfComplete(
        withoutDependents(
          withOutput(updated, change, {
            state: 'skipped',
            warnings: [change.reason],
            updatedAt: at,
            finishedAt: at,
          }),
          change.id,
          at,
        ),
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

/** Applies a change made by a run. Throws `ClaimLostError` if the run no longer holds the claim. */
export function applyAsHolder(job: Job, token: string, change: Change, now: Date): Job {
  if (job.claim !== token)
    throw new VencError('ClaimLostError', `This run no longer holds the claim of job ${job.id}.`);
  return apply(job, change, now);
}

function withOutput(job: Job, change: Extract<Change, { id: number }>, edit: Partial<JobOutput>): Job {
  const changed = requireOutput(job, change);
  return {
    ...job,
    outputs: job.outputs.map((output) => (output === changed ? { ...output, ...edit } : output)),
  };
}

/** The fields of an output that was delivered to its secondary destination, which replaces the requested one. */
function secondaryDelivery(
  { secondary }: JobOutput,
  { primaryUploadError }: Extract<Change, { type: 'output-finished' }>,
): Partial<JobOutput> {
  return secondary === undefined || primaryUploadError === undefined
    ? {}
    : { ...secondary, primaryUploadError };
}

/** Ends the outputs that wait for an output that has just failed or been skipped: they have no input, or are skipped as well. */
function withoutDependents(job: Job, id: number, at: string): Job {
  const source = job.outputs.find((output) => output.id === id);
  if (source === undefined) return job;
  const ended = { updatedAt: at, finishedAt: at };
  const edit =
    source.state === 'skipped'
      ? ({ ...ended, state: 'skipped', failure: null, warnings: [skippedSource(source)] } as const)
      : ({
          ...ended,
          state: 'no input',
          // The failure of an output without a source of its own names the first cause.
          failure: source.state === 'no input' ? source.failure : sourceFailure(source),
        } as const);
  return { ...job, outputs: withoutSource(job.outputs, source, edit) };
}

/** Ends the job if all of its outputs have ended. A skipped output does not fail it. */
function finishIfComplete(job: Job, at: string): Job {
  if (!job.outputs.every((output) => isFinal(output.state))) return job;
  const isFinished = job.outputs.every(({ state }) => state === 'finished' || state === 'skipped');
  return { ...job, state: isFinished ? 'finished' : 'failed', claim: null, finishedAt: at };
}

/** Marks the input as failed and the outputs that have not ended as `no input`. */
function withFailedInput(job: Job, failure: JobFailure, at: string): Pick<Job, 'input' | 'outputs'> {
  return {
    input: { ...job.input, state: 'failed', failure, updatedAt: at, finishedAt: at },
    outputs: job.outputs.map((output) =>
      isFinal(output.state) ? output : { ...output, state: 'no input', updatedAt: at, finishedAt: at },
    ),
  };
}

/**
 * Resets the job to `waiting`, except for the outputs whose state is kept: those are not encoded again. A resubmit keeps
 * finished outputs. A released or lost run keeps every final state, since only a client may reset a failure.
 */
function resetToWaiting(job: Job, at: string, shouldKeep: (state: OutputState) => boolean): Job {
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
    outputs: job.outputs.map((output) => {
      if (keptIds.has(output.id)) return output;
      const { warnings: _, ...rest } = output;
      return { ...rest, ...cleared };
    }),
  };
}

/** The warnings of an output and those of a change. */
function warningsAfter(
  { warnings = [] }: Pick<JobOutput, 'warnings'>,
  added: readonly string[] = [],
): Pick<JobOutput, 'warnings'> {
  const all = [...warnings, ...added];
  return all.length === 0 ? {} : { warnings: all };
}

/** Fails the job after too many crashes, including its input and outputs that have not ended. */
function failAfterCrashes(job: Job, at: string): Job {
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
