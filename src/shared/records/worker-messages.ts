import { outputEvents } from '../states.js';
import type { RecordTable } from './field.js';

/*
 * The messages between remote workers and the daemon, as `daemon/jobs/worker-protocol.ts` describes them. They are JSON
 * only, and have the names of the program's own records, not those of the service: no client of the service reads them.
 */

const word = { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const shortText = { type: 'string', maxLength: 256 } as const;
const workerId = { ...shortText, description: 'id of the session of the worker, from its join' } as const;

function names(what: string) {
  return {
    type: 'array',
    maxItems: 10_000,
    item: 'name',
    of: { type: 'string', maxLength: 128, description: `name of ${what}` },
    description: `the names of its ${what}s`,
  } as const;
}

/** A worker that joins. */
export const workerJoinFields = {
  protocol: { ...count, description: 'version of the protocol' },
  name: {
    ...word,
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
    description: 'name of the worker',
  },
  version: { ...shortText, description: 'version of venc on the worker' },
  ffmpeg: { ...shortText, description: 'version of its ffmpeg' },
  jobs: { type: 'integer', minimum: 1, maximum: 1000, description: 'number of jobs that it encodes at once' },
  labels: {
    type: 'array',
    maxItems: 20,
    item: 'label',
    of: { ...word, description: 'a label' },
    description: 'its labels, which requires of jobs and outputs name',
  },
  capabilities: {
    type: 'object',
    fields: {
      version: { type: 'number', minimum: 0, isNullable: true, description: 'version of ffmpeg as a number' },
      encoders: names('encoder'),
      filters: names('filter'),
      muxers: names('muxer'),
      hasFpsMode: { type: 'boolean', description: 'whether its ffmpeg has -fps_mode' },
    },
    description: 'what its ffmpeg supports',
  },
  services: names('storage service'),
  folderId: {
    ...word,
    isOptional: true,
    description: 'id of its work folder, which one process at a time uses',
  },
  processId: { ...word, isOptional: true, description: 'id of its process' },
  hasJoined: { type: 'boolean', isOptional: true, description: 'whether its process has joined before' },
  isOnce: { type: 'boolean', isOptional: true, description: 'whether it takes one job and ends' },
} as const satisfies RecordTable;

/** A worker that asks for a job, or reports with `closedBy` that it takes none now. */
export const workerClaimFields = {
  workerId,
  closedBy: {
    type: 'string',
    values: ['hours', 'load'],
    isOptional: true,
    description:
      'why it takes no job now: it is outside its hours, or its machine is busy; absent if it takes one',
  },
  closedUntil: { ...shortText, isOptional: true, description: 'when its hours begin, if that is known' },
} as const satisfies RecordTable;

const percent = { type: 'number', minimum: 0, maximum: 100 } as const;
const speed = { type: 'number', minimum: 0, isOptional: true } as const;

/** The report of a worker about a job that it runs. */
export const workerHeartbeatFields = {
  workerId,
  progress: {
    type: 'array',
    maxItems: 10_000,
    item: 'file',
    of: {
      type: 'object',
      fields: {
        id: { ...count, description: 'id of the input or output' },
        event: {
          type: 'string',
          values: ['inspecting', ...outputEvents],
          description: 'the current activity',
        },
        percent: { ...percent, description: 'percent of the current activity' },
        overallPercent: { ...percent, description: 'percent of the whole' },
        fps: { ...speed, description: 'frames encoded per second' },
        speed: { ...speed, description: 'multiple of real time' },
        eta_in_ms: { ...speed, description: 'milliseconds left' },
      },
      description: 'progress of one file',
    },
    description: 'the progress of the files, as far as it has changed',
  },
  log: {
    type: 'array',
    maxItems: 1000,
    item: 'line',
    of: {
      type: 'object',
      fields: {
        level: { type: 'string', values: ['info', 'warn', 'error'], description: 'severity' },
        message: { type: 'string', maxLength: 10_000, description: 'what happened' },
        outputId: { ...count, isOptional: true, description: 'id of the output that it is about' },
        isDetail: {
          type: 'boolean',
          isOptional: true,
          description: 'whether it is only in the log of the job',
        },
        stderr: {
          type: 'array',
          maxItems: 200,
          isOptional: true,
          item: 'line',
          of: { type: 'string', maxLength: 10_000, description: 'one line' },
          description: 'the last lines of a failed ffmpeg',
        },
      },
      description: 'one line',
    },
    description: 'lines for the log of the job',
  },
} as const satisfies RecordTable;

/** A change of a job by the worker that holds its claim. The daemon checks the members of `change` by its type. */
export const workerChangeFields = {
  number: {
    type: 'integer',
    minimum: 1,
    description: 'number of the change, from 1; a number that is stored already changes nothing',
  },
  change: {
    type: 'object',
    isOpen: true,
    fields: {
      type: {
        type: 'string',
        values: [
          ...(['inspected', 'input-failed', 'output-assigned', 'output-started', 'output-finished'] as const),
          ...(['ladder-chosen', 'quality-searched'] as const),
          ...(['output-failed', 'output-queued', 'output-skipped', 'source-failed'] as const),
        ],
        description: 'the kind of change',
      },
    },
    description: 'the change, with further members that depend on its type',
  },
} as const satisfies RecordTable;

/** A worker that asks for the credentials of a URL of its job. */
export const workerCredentialsFields = {
  scheme: { type: 'string', maxLength: 32, description: 'scheme of the URL' },
  name: {
    ...shortText,
    isNullable: true,
    description: 'name of the credentials in the request; null without one',
  },
} as const satisfies RecordTable;

/** The messages of workers, by the name that the route table uses. */
export const workerMessages = {
  workerJoin: workerJoinFields,
  workerClaim: workerClaimFields,
  workerHeartbeat: workerHeartbeatFields,
  workerChange: workerChangeFields,
  workerCredentials: workerCredentialsFields,
} as const satisfies Readonly<Record<string, RecordTable>>;

/** The name of a message of a worker. */
export type WorkerMessageName = keyof typeof workerMessages;

const job = {
  type: 'object',
  isOpen: true,
  fields: {
    id: { type: 'integer', description: 'id of the job' },
    state: { type: 'string', description: 'its state' },
  },
  description: 'the job as the daemon stores it, without notifications',
} as const;

/** The answer to a worker that joins. */
export const workerJoinedFields = {
  workerId: { type: 'string', description: workerId.description },
  name: { type: 'string', description: 'its name, with a number if another worker has the same' },
  leaseSeconds: { type: 'number', description: 'seconds without a report after which it loses its claims' },
  heartbeatSeconds: { type: 'number', description: 'seconds between two heartbeats of a claim' },
  pollSeconds: { type: 'number', description: 'seconds that the daemon waits for a job' },
} as const satisfies RecordTable;

/** A claim. */
export const workerClaimedFields = {
  token: { type: 'string', description: 'token of the claim, for the header Venc-Claim' },
  job,
} as const satisfies RecordTable;

/** The answer to a heartbeat. */
export const workerHeartbeatAnswerFields = {
  stop: {
    type: 'string',
    isNullable: true,
    description: 'why the worker must stop the run; null if it goes on',
  },
  drain: { type: 'boolean', description: 'whether it takes no further jobs' },
  frozen: {
    type: 'boolean',
    isOptional: true,
    description: 'whether the programs of the run are stopped until a later answer; absent if not',
  },
} as const satisfies RecordTable;

/** The job after a change. */
export const workerChangedFields = { job } as const satisfies RecordTable;

/** Saved credentials. */
export const workerCredentialFields = {
  user: { type: 'string', description: 'user name' },
  secret: { type: 'string', description: 'password or secret key' },
} as const satisfies RecordTable;

/** How much of a file the daemon has received. */
export const workerReceivedFields = {
  receivedBytes: { type: 'integer', description: 'bytes received so far: the offset of the next part' },
} as const satisfies RecordTable;

/** The answer to a part of a file. */
export const workerStoredFields = {
  receivedBytes: workerReceivedFields.receivedBytes,
  sizeBytes: {
    type: 'integer',
    isOptional: true,
    description: 'size of the delivered file; absent until it is complete',
  },
  md5: { type: 'string', isOptional: true, description: 'MD5 of the delivered file' },
} as const satisfies RecordTable;
