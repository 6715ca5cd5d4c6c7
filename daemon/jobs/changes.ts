import { VencError } from '../../src/shared/errors.js';
import { isPlaylist } from '../../src/shared/settings/playlists.js';
import { isFinal } from '../../src/shared/states.js';
import {
  crashLimit,
  failAfterCrashes,
  finishIfComplete,
  resetToWaiting,
  withFailedInput,
  withoutClaimedOutputs,
  withoutEndedClaims,
  withoutWorker,
} from './end-of-claim.js';
import { type Job, type JobOutput, safeFailure } from './job.js';
import { withLadder, withoutLadder } from './ladder.js';
import {
  type Change,
  type OutputChange,
  requireInput,
  requireLegal,
  requireOutput,
} from './legal-changes.js';
import { withAttempt, withDueNotifications, withResentNotifications } from './notifications.js';
import { skippedSource, sourceFailure, withoutSource } from './output-graph.js';
import { recordThumbnails } from './thumbnails.js';

/**
 * The state machine: returns the job after a change, with notifications for the job and the outputs that the change
 * ended. Pure. Changes of notifications and of delivered files leave the rest of the job unchanged, including
 * `updatedAt`. Throws if the change is not legal: `ConflictError` or `ResubmitLimitError` for changes that a client
 * requests, otherwise `IllegalChangeError`.
 */
export function apply(job: Job, change: Change, now: Date): Job {
  requireLegal(job, change);
  switch (change.type) {
    case 'notification-delivered':
    case 'notification-failed':
      return withAttempt(job, change, now);
    case 'notifications-resent':
      return withResentNotifications(job, change.token, now);
    case 'output-delivering':
      return withDeliveredFiles(job, change);
    case 'paused':
    case 'unpaused':
      return withPause(job, change.type === 'paused', now.toISOString());
    default: {
      const at = now.toISOString();
      const changed = withDueNotifications(job, applyJobChange(job, change, at), at);
      return isFinal(changed.state) ? withoutPause(changed) : changed;
    }
  }
}

/** Applies a legal change, other than of a notification, and adds no notifications. */
function applyJobChange(
  job: Job,
  change: Exclude<
    Change,
    | { notificationId: string }
    | { type: 'notifications-resent' | 'output-delivering' }
    | { type: 'paused' | 'unpaused' }
  >,
  at: string,
): Job {
  const updated = { ...job, updatedAt: at };
  switch (change.type) {
    case 'queued':
      return { ...updated, state: 'waiting' };
    case 'claimed':
      return {
        ...updated,
        state: 'processing',
        claim: change.token,
        startedAt: job.startedAt ?? at,
        ...(change.outputIds === undefined ? {} : { claimedOutputs: change.outputIds }),
        ...(change.worker === undefined
          ? {}
          : { worker: { name: change.worker, token: change.token, changeNumber: 0 } }),
        input: { ...job.input, state: 'processing', updatedAt: at, finishedAt: null },
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
      return finishIfComplete({ ...updated, ...withFailedInput(job, safeFailure(change.failure), at) }, at);
    case 'ladder-chosen': {
      requireInput(job, change, 'finished');
      const skipped: number[] = [];
      const chosen = withLadder(updated, change.points, (output, reason) => {
        skipped.push(output.id);
        return { ...output, state: 'skipped', warnings: [reason], updatedAt: at, finishedAt: at };
      });
      return finishIfComplete(
        skipped.reduce((one, id) => withoutDependents(one, id, at), chosen),
        at,
      );
    }
    case 'output-assigned':
      return withOutput(updated, change, { state: 'assigning', updatedAt: at });
    case 'output-started':
      return withOutput(updated, change, {
        state: 'processing',
        startedAt: at,
        updatedAt: at,
        ...(change.origins === undefined ? {} : { origins: change.origins }),
        ...warningsAfter({}, change.warnings),
      });
    case 'quality-searched':
      return withOutput(updated, change, { search: change.search, updatedAt: at });
    case 'output-finished': {
      const delivered = withOutput(updated, change, secondaryDelivery(requireOutput(job, change), change));
      return finishIfComplete(
        withOutput(delivered, change, {
          state: 'finished',
          media: change.media,
          file: change.file,
          ...(change.rendition === undefined ? {} : { rendition: change.rendition }),
          ...(change.quality === undefined ? {} : { quality: change.quality }),
          ...(change.captionFiles === undefined ? {} : { captionFiles: change.captionFiles }),
          ...(change.deliverySeconds === undefined ? {} : { deliverySeconds: change.deliverySeconds }),
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
            failure: safeFailure(change.failure),
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
            failure: safeFailure(change.failure),
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
        ? failAfterCrashes({ ...withoutWorker(updated), crashes: job.crashes + 1 }, at)
        : { ...resetToWaiting(updated, at, isFinal), crashes: job.crashes + 1 };
    case 'cancelled':
      return {
        ...withoutClaimedOutputs(updated),
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
    case 'prioritized': {
      const { priority: _before, ...rest } = updated;
      return change.priority === 0 ? rest : { ...rest, priority: change.priority };
    }
    case 'resubmitted': {
      const before = resetToWaiting(updated, at, (state) => state === 'finished');
      const { startedAt: _startedAt, ...reset } = withoutPause(before);
      return {
        ...withoutLadder(withoutSearches(withoutEndedClaims(reset))),
        submittedAt: at,
        resubmits: job.resubmits + 1,
        crashes: 0,
      };
    }
  }
}

/** Applies a change made by a run. Throws `ClaimLostError` if the run no longer holds the claim. */
export function applyAsHolder(job: Job, token: string, change: Change, now: Date): Job {
  if (job.claim !== token)
    throw new VencError('ClaimLostError', `This run no longer holds the claim of job ${job.id}.`);
  return apply(job, change, now);
}

function withOutput(job: Job, change: OutputChange, edit: Partial<JobOutput>): Job {
  const changed = requireOutput(job, change);
  return {
    ...job,
    outputs: job.outputs.map((output) => (output === changed ? { ...output, ...edit } : output)),
  };
}

/** Returns the same object if the job is paused, or is not, already. */
function withPause(job: Job, isPaused: boolean, at: string): Job {
  if (isPaused === (job.isPaused === true)) return job;
  const changed = { ...job, updatedAt: at };
  return isPaused ? { ...changed, isPaused } : withoutPause(changed);
}

function withoutPause(job: Job): Job {
  const { isPaused, ...rest } = job;
  return isPaused === undefined ? job : rest;
}

/** The input may have changed. */
function withoutSearches(job: Job): Job {
  return {
    ...job,
    outputs: job.outputs.map((output) => {
      const { search, ...rest } = output;
      return search === undefined ? output : rest;
    }),
  };
}

function withDeliveredFiles(
  job: Job,
  { id, files }: Extract<Change, { readonly type: 'output-delivering' }>,
): Job {
  const outputs = job.outputs.map((output) => {
    const { deliveredFiles = [] } = output;
    return output.id === id
      ? { ...output, deliveredFiles: [...new Set([...deliveredFiles, ...files])] }
      : output;
  });
  return { ...job, outputs };
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

/**
 * Ends the outputs that wait for an output that has just failed or been skipped: they have no input, or are skipped as
 * well.
 */
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

/** The warnings of an output and those of a change. */
function warningsAfter(
  { warnings = [] }: Pick<JobOutput, 'warnings'>,
  added: readonly string[] = [],
): Pick<JobOutput, 'warnings'> {
  const all = [...warnings, ...added];
  return all.length === 0 ? {} : { warnings: all };
}
