import { VencError } from '../../src/shared/errors.js';
import type { LadderPointRecord, QualityRecord, QualitySearch } from '../../src/shared/records.js';
import { isPlaylist } from '../../src/shared/settings/playlists.js';
import {
  finalJobStates,
  type JobState,
  jobStates,
  type OutputState,
  stateClause,
} from '../../src/shared/states.js';
import type {
  AttemptAnswer,
  FileFacts,
  Job,
  JobFailure,
  JobInput,
  JobOutput,
  RenditionFacts,
} from './job.js';
import type { MediaFacts } from './media.js';
import type { CaptionFileFacts } from './rendition-facts.js';
import type { DeliveredThumbnail } from './thumbnails.js';
import type { TrackOrigins } from './tracks.js';

/** A change of a job. */
export type Change =
  | { readonly type: 'queued' }
  | {
      readonly type: 'claimed';
      readonly token: string;
      /** Name of a remote worker. */
      readonly worker?: string;
      /** The outputs that the holder makes; absent if it makes all. */
      readonly outputIds?: readonly number[];
    }
  | { readonly type: 'inspected'; readonly media: MediaFacts | null; readonly file: FileFacts }
  | { readonly type: 'input-failed'; readonly failure: JobFailure }
  /** The renditions of the ladder were chosen, and need not be chosen again; none if the input has no video. */
  | { readonly type: 'ladder-chosen'; readonly points: readonly LadderPointRecord[] }
  | { readonly type: 'output-assigned'; readonly id: number }
  | {
      readonly type: 'output-started';
      readonly id: number;
      /** What the plan changed for this input, one sentence each. */
      readonly warnings?: readonly string[];
      /** Absent if it is not encoded. */
      readonly origins?: TrackOrigins;
    }
  /** The factor for its `quality_target` was found, and need not be searched again. */
  | { readonly type: 'quality-searched'; readonly id: number; readonly search: QualitySearch }
  /** Files are about to get their names on this machine. */
  | { readonly type: 'output-delivering'; readonly id: number; readonly files: readonly string[] }
  | {
      readonly type: 'output-finished';
      readonly id: number;
      readonly media: MediaFacts | null;
      readonly file: FileFacts;
      /** Absent if it has none. */
      readonly thumbnails?: readonly DeliveredThumbnail[];
      /** What its file revealed, one sentence each, in addition to the warnings of its start. */
      readonly warnings?: readonly string[];
      /** Why the delivery to the requested URL failed, if the file was delivered to the secondary one. */
      readonly primaryUploadError?: string;
      /** Absent if it was not cut into segments. */
      readonly rendition?: RenditionFacts;
      /** Absent if it was not measured. */
      readonly quality?: QualityRecord;
      /** Absent if it has no captions in files next to it. */
      readonly captionFiles?: readonly CaptionFileFacts[];
      /** How long the delivery took. Absent from workers of earlier versions. */
      readonly deliverySeconds?: number;
    }
  | { readonly type: 'output-failed'; readonly id: number; readonly failure: JobFailure }
  /** The source of the output is complete on this machine, or all outputs that a playlist names have ended. */
  | { readonly type: 'output-queued'; readonly id: number }
  /** The source of the output cannot be made. */
  | { readonly type: 'source-failed'; readonly id: number; readonly failure: JobFailure }
  /** The output is not made, because of a skip rule. */
  | { readonly type: 'output-skipped'; readonly id: number; readonly reason: string }
  /** The run gives up its claim and the job waits again, for example when the daemon stops. */
  | { readonly type: 'released' }
  /** The run ended without reporting a result. The daemon detects this when it starts. */
  | { readonly type: 'lost' }
  | { readonly type: 'cancelled' }
  | { readonly type: 'resubmitted' }
  /** From -10 to 10, or greater to begin before other jobs of its account. */
  | { readonly type: 'prioritized'; readonly priority: number }
  /** A client pauses the job, or ends that. No-op if it did already. */
  | { readonly type: 'paused' | 'unpaused' }
  /** A client asks to send the notifications of the ended job again, once each. The token makes their ids unique. */
  | { readonly type: 'notifications-resent'; readonly token: string }
  /** The endpoint accepted a notification. */
  | {
      readonly type: 'notification-delivered';
      readonly notificationId: string;
      readonly answer: AttemptAnswer;
    }
  /** A delivery attempt failed. The next one is scheduled; after the last one the notification is dropped. */
  | {
      readonly type: 'notification-failed';
      readonly notificationId: string;
      readonly answer: AttemptAnswer;
    };

/** A change of the state of one output. */
export type OutputChange = Exclude<Extract<Change, { id: number }>, { type: 'output-delivering' }>;

type ChangeType = Change['type'];

/** Maximum number of resubmits of a job (service document, sections 4.4 and 8). */
export const resubmitLimit = 5;

/** The states of the job in which each change is legal. */
const legalFrom: Readonly<Record<ChangeType, readonly JobState[]>> = {
  queued: ['pending'],
  claimed: ['waiting'],
  inspected: ['processing'],
  'input-failed': ['processing'],
  'ladder-chosen': ['processing'],
  'output-assigned': ['processing'],
  'output-started': ['processing'],
  'quality-searched': ['processing'],
  'output-delivering': ['processing'],
  'output-finished': ['processing'],
  'output-failed': ['processing'],
  'output-skipped': ['processing'],
  'output-queued': ['processing'],
  'source-failed': ['processing'],
  released: ['processing'],
  lost: ['processing'],
  cancelled: ['waiting', 'processing'],
  resubmitted: ['pending', 'waiting', 'processing', 'failed', 'cancelled'],
  prioritized: ['pending', 'waiting'],
  paused: ['pending', 'waiting', 'processing'],
  unpaused: ['pending', 'waiting', 'processing'],
  'notifications-resent': finalJobStates,
  'notification-delivered': jobStates,
  'notification-failed': jobStates,
};

/** The states of the output in which each change of that output is legal. */
const outputLegalFrom = {
  'output-assigned': ['queued'],
  'output-started': ['queued', 'assigning'],
  'quality-searched': ['processing'],
  'output-finished': ['processing'],
  'output-failed': ['queued', 'assigning', 'processing'],
  'output-skipped': ['waiting', 'queued', 'processing'],
  'output-queued': ['waiting'],
  'source-failed': ['waiting'],
} as const satisfies Partial<Record<ChangeType, readonly OutputState[]>>;

/**
 * Throws if the state of the job does not allow the change: `ConflictError` or `ResubmitLimitError` for changes that a
 * client requests, otherwise `IllegalChangeError`.
 */
export function requireLegal(job: Job, change: Change): void {
  if (!legalFrom[change.type].includes(job.state)) throw rejectionError(job, change);
  if (change.type === 'resubmitted' && job.resubmits >= resubmitLimit) {
    throw new VencError(
      'ResubmitLimitError',
      `Job ${job.id} was already resubmitted ${resubmitLimit} times, the maximum.`,
    );
  }
}

function rejectionError(job: Job, change: Change): VencError {
  if (change.type === 'cancelled') {
    return new VencError(
      'ConflictError',
      `Job ${job.id} ${stateClause(job.state)}: only a waiting or processing job can be cancelled.`,
    );
  }
  if (change.type === 'resubmitted') {
    return new VencError(
      'ConflictError',
      `Job ${job.id} is finished: only a job that did not finish can be resubmitted.`,
    );
  }
  if (change.type === 'prioritized') {
    return new VencError(
      'ConflictError',
      `Job ${job.id} ${stateClause(job.state)}: only a waiting job has a place in the queue.`,
    );
  }
  if (change.type === 'paused' || change.type === 'unpaused') {
    return new VencError(
      'ConflictError',
      `Job ${job.id} ${stateClause(job.state)}: only a job that has not ended can be paused or resumed.`,
    );
  }
  if (change.type === 'notifications-resent') {
    return new VencError(
      'ConflictError',
      `Job ${job.id} ${stateClause(job.state)}: only the notifications of a job that has ended can be sent again.`,
    );
  }
  return illegalChange(change, `job ${job.id} is ${job.state}`);
}

/** Throws `IllegalChangeError` unless the input is in the given state. */
export function requireInput(job: Job, change: Change, state: JobInput['state']): void {
  if (job.input.state === state) return;
  throw illegalChange(change, `the input of job ${job.id} is ${job.input.state}`);
}

/**
 * Returns the output that the change names. Throws `IllegalChangeError` if the claim has none or its state does not
 * allow the change.
 */
export function requireOutput(job: Job, change: OutputChange): JobOutput {
  const found = job.outputs.find((output) => output.id === change.id);
  const legal: readonly OutputState[] = outputLegalFrom[change.type];
  if (job.claimedOutputs?.includes(change.id) === false)
    throw illegalChange(change, `output ${change.id} of job ${job.id} is not one of this claim`);
  if (found !== undefined && legal.includes(found.state) && !awaitsInput(job, found)) return found;
  throw illegalChange(
    change,
    found === undefined
      ? `job ${job.id} has no output ${change.id}`
      : `output ${change.id} of job ${job.id} is ${found.state}`,
  );
}

/** Whether an output waits for the input of its job, and not for another output. */
function awaitsInput({ input }: Job, { state, settings }: JobOutput): boolean {
  const isFromInput = settings.source === undefined && !isPlaylist(settings);
  return state === 'waiting' && (isFromInput || input.state !== 'finished');
}

function illegalChange(change: Change, reason: string): VencError {
  return new VencError('IllegalChangeError', `Change "${change.type}" is not legal: ${reason}.`);
}
