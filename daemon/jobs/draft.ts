import type { JobRequest, OutputSettings } from '../../src/shared/settings/index.js';
import type { ReportedWarning } from '../../src/shared/settings/setting.js';
import type { IdempotencyRecord, InPlaceFile, Job, JobInput, OutputDestination } from './job.js';
import { targetsOf } from './notifications.js';
import { reservedThumbnailIds } from './thumbnails.js';

/** Where one output is delivered, and where else if that fails. */
export interface OutputDestinations extends OutputDestination {
  readonly secondary?: OutputDestination;
}

/** A job without ids. The store assigns them from its sequence. */
export interface JobDraft {
  /** Number of consecutive ids that the job needs: job, input, outputs and their thumbnails, in this order. */
  readonly idCount: number;
  /** The job, numbered from 0. */
  readonly job: Job;
  /** Returns the job, numbered from its first id. */
  number(firstId: number): Job;
}

/** The draft of the same job with the services whose keys it takes from the environment. */
export function withServices(draft: JobDraft, services: readonly string[]): JobDraft {
  return services.length === 0 ? draft : draftOf({ ...draft.job, services }, draft.idCount);
}

function draftOf(job: Job, idCount: number): JobDraft {
  return {
    idCount,
    job,
    number: (firstId) => ({
      ...job,
      id: firstId,
      input: { ...job.input, id: firstId + job.input.id },
      outputs: job.outputs.map((output) => ({ ...output, id: firstId + output.id })),
    }),
  };
}

/** The contents of a new job. */
export interface DraftParts {
  readonly accountId: string;
  readonly request: JobRequest;
  readonly test: boolean;
  /** Settings and destination of each output, in the order of the request. */
  readonly outputs: readonly {
    readonly settings: OutputSettings;
    readonly outputDestination: OutputDestinations;
  }[];
  /** Warnings about the request. */
  readonly warnings?: readonly ReportedWarning[];
  readonly now: Date;
  /** The file that the input names, if it is read where it is; null or absent for other inputs. */
  readonly inPlace?: InPlaceFile | null;
  /** null or absent if the client sent no `Idempotency-Key`. */
  readonly idempotency?: IdempotencyRecord | null;
}

/**
 * Drafts a job. Its state is `waiting`: a stored job is a queued job, because the daemon queues every job that has not
 * ended when it starts. `pending` is for stores with a separate queue.
 */
export function draftJob(parts: DraftParts): JobDraft {
  const { warnings = [], inPlace = null } = parts;
  const at = parts.now.toISOString();
  const { download_connections: connections, expected_md5_checksum: expectedMd5 } = parts.request;
  const newFile = { createdAt: at, updatedAt: at, finishedAt: null, media: null, file: null, failure: null };
  const job: Job = {
    id: 0,
    accountId: parts.accountId,
    state: 'waiting',
    test: parts.test,
    ...(parts.request.private ? { isPrivate: true as const } : {}),
    passThrough: parts.request.pass_through ?? null,
    ...(parts.request.input_name === undefined ? {} : { inputName: parts.request.input_name }),
    grouping: parts.request.grouping ?? null,
    ...queueingOf(parts.request),
    ...(parts.request.generate_dynamic_profile === true
      ? { ladder: { options: parts.request.dynamic_profile_options ?? {} } }
      : {}),
    createdAt: at,
    updatedAt: at,
    submittedAt: at,
    finishedAt: null,
    input: {
      ...newFile,
      id: 1,
      state: 'waiting',
      url: parts.request.input,
      ...(connections === undefined ? {} : { connections: Math.max(1, connections) }),
      ...(parts.request.credentials === undefined ? {} : { credentials: parts.request.credentials }),
      ...asperaOf(parts.request),
      ...(expectedMd5 === undefined ? {} : { expectedMd5: expectedMd5.toLowerCase() }),
      ...(inPlace === null ? {} : { inPlace }),
    },
    outputs: parts.outputs.map(({ settings, outputDestination }, index) => ({
      ...newFile,
      id: 2 + index,
      state: 'waiting',
      label: settings.label ?? null,
      settings,
      destination: outputDestination.destination,
      url: outputDestination.url,
      ...(outputDestination.secondary === undefined ? {} : { secondary: outputDestination.secondary }),
      thumbnails: [],
    })),
    claim: null,
    crashes: 0,
    resubmits: 0,
    lastProgress: [],
    idempotency: parts.idempotency ?? null,
    ...(warnings.length === 0 ? {} : { warnings }),
    notifications: targetsOf(parts.request.notifications),
    pendingNotifications: [],
  };
  return draftOf(job, 2 + parts.outputs.length + reservedThumbnailIds(parts.outputs));
}

function queueingOf({ priority = 0, requires = [] }: JobRequest): Pick<Job, 'priority' | 'requires'> {
  return {
    ...(priority === 0 ? {} : { priority }),
    ...(requires.length === 0 ? {} : { requires: [...new Set(requires)] }),
  };
}

function asperaOf(request: JobRequest): Pick<JobInput, 'aspera'> {
  const { aspera_transfer_policy: policy, transfer_minimum_rate, transfer_maximum_rate } = request;
  const aspera = {
    ...(policy === undefined ? {} : { policy }),
    ...(transfer_minimum_rate === undefined ? {} : { minimumKbps: transfer_minimum_rate }),
    ...(transfer_maximum_rate === undefined ? {} : { maximumKbps: transfer_maximum_rate }),
  };
  return Object.keys(aspera).length === 0 ? {} : { aspera };
}
