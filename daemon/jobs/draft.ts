import type { JobRequest, OutputSettings } from '../../src/shared/settings/index.js';
import type { IdempotencyRecord, Job } from './job.js';
import { targetsOf } from './notifications.js';
import { totalThumbnailCount } from './thumbnails.js';

/** Where one output goes: see `destination` and `url` of a job's output. */
export interface OutputDestination {
  readonly destination: string;
  readonly url: string;
}

/** A job without its ids: a store numbers it from the sequence and keeps it. */
export interface JobDraft {
  /** How many consecutive ids it takes: job, input, outputs and their thumbnails, in this order. */
  readonly idCount: number;
  /** The job itself, its first id given. */
  number(firstId: number): Job;
}

/** Everything that a new job is made of. */
export interface DraftParts {
  readonly accountId: string;
  readonly request: JobRequest;
  readonly test: boolean;
  /** Settings and place of each output, in the order of the request. */
  readonly outputs: readonly {
    readonly settings: OutputSettings;
    readonly outputDestination: OutputDestination;
  }[];
  readonly now: Date;
  /** null or left out where the client gave no `Idempotency-Key`. */
  readonly idempotency?: IdempotencyRecord | null;
}

/**
 * Drafts a job. It begins as `waiting`: to be stored is to be queued, as every start queues what is not final.
 * `pending` is for stores whose queue lives elsewhere.
 */
export function draftJob(parts: DraftParts): JobDraft {
  const at = parts.now.toISOString();
  const connections = parts.request.download_connections;
  const fresh = { createdAt: at, updatedAt: at, finishedAt: null, media: null, file: null, failure: null };
  return {
    idCount: 2 + parts.outputs.length + totalThumbnailCount(parts.outputs),
    number: (firstId) => ({
      id: firstId,
      accountId: parts.accountId,
      state: 'waiting',
      test: parts.test,
      passThrough: parts.request.pass_through ?? null,
      grouping: parts.request.grouping ?? null,
      createdAt: at,
      updatedAt: at,
      submittedAt: at,
      finishedAt: null,
      input: {
        ...fresh,
        id: firstId + 1,
        state: 'waiting',
        url: parts.request.input,
        ...(connections === undefined ? {} : { connections }),
      },
      outputs: parts.outputs.map(({ settings, outputDestination }, index) => ({
        ...fresh,
        id: firstId + 2 + index,
        state: 'waiting',
        label: settings.label ?? null,
        settings,
        destination: outputDestination.destination,
        url: outputDestination.url,
        thumbnails: [],
      })),
      claim: null,
      crashes: 0,
      resubmits: 0,
      lastProgress: [],
      idempotency: parts.idempotency ?? null,
      notifications: targetsOf(parts.request.notifications),
      pendingNotifications: [],
    }),
  };
}
