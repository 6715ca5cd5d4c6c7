import type { Field, RecordTable } from './field.js';
import { createdFields, jobFields, listedJobFields } from './job.js';
import { logFields } from './log.js';
import { inputDetailsFields, outputDetailsFields } from './media.js';
import { presetFields, presetListFields, savedPresetFields } from './presets.js';
import {
  earlyOutputProgressFields,
  inputProgressFields,
  inputProgressV1Fields,
  jobProgressFields,
  outputProgressFields,
  outputProgressV1Fields,
  queuePauseFields,
} from './progress.js';
import { allReportFields, liveReportFields, vodReportFields } from './reports.js';
import {
  workerChangedFields,
  workerClaimedFields,
  workerCredentialFields,
  workerHeartbeatAnswerFields,
  workerJoinedFields,
  workerReceivedFields,
  workerStoredFields,
} from './worker-messages.js';
import { workerListFields } from './workers.js';

/** All errors of a request. */
const errors = {
  type: 'array',
  of: { type: 'string', description: 'one full sentence' },
  item: 'error',
  description: 'all errors at once',
} as const;

/** Body of every error response. */
export const errorsFields = {
  errors,
  errorClass: {
    type: 'string',
    isOptional: true,
    description: 'class of the error; only in answers to workers',
  },
} as const satisfies RecordTable;

/** Whether the daemon accepts jobs. */
const healthFields = {
  status: {
    type: 'string',
    values: ['ok', 'degraded', 'unavailable'],
    description:
      'ok; degraded: jobs are accepted, and a check needs attention; unavailable: no job is accepted',
  },
  errors: { ...errors, isOptional: true, description: 'why no jobs are accepted' },
  checks: {
    type: 'array',
    item: 'check',
    of: {
      type: 'object',
      description: 'one check',
      fields: {
        name: {
          type: 'string',
          values: [
            'daemon',
            'ffmpeg',
            'disk',
            'database',
            'disk_space',
            'hosted_files',
            'sandbox',
            'queue',
            'workers',
            'notifications',
          ],
          description: 'its name',
        },
        ok: { type: 'boolean', description: 'whether it is passed' },
        required: { type: 'boolean', description: 'whether jobs are accepted only if it is passed' },
        reason: {
          type: 'string',
          isNullable: true,
          description: 'the reason for a failure, or a warning: one full sentence',
        },
      },
    },
    description: 'all checks',
  },
} as const satisfies RecordTable;

/** The program and its version. */
const versionFields = {
  name: { type: 'string', description: 'name of the program' },
  version: { type: 'string', description: 'its version' },
} as const satisfies RecordTable;

/** One setting of a job or an output. */
export const settingFields = {
  name: { type: 'string', description: 'its name; a nested setting has a dot: watermark.x' },
  object: { type: 'string', values: ['job', 'output'], description: 'where it belongs' },
  spellings: {
    type: 'array',
    of: { type: 'string', description: 'another name' },
    item: 'spelling',
    description: 'its other names',
  },
  value: { type: 'string', description: 'the kind and range of its value' },
  default: { type: 'string', isNullable: true, description: 'what applies without it' },
  required: { type: 'boolean', description: 'whether its object is invalid without it' },
  meaning: { type: 'string', description: 'what it does' },
  support: {
    type: 'string',
    values: ['supported', 'no effect', 'rejected'],
    description: 'how this version handles it',
  },
  reason: { type: 'string', isNullable: true, description: 'why it has no effect or is rejected' },
} as const satisfies RecordTable;

/** A file that was uploaded. */
const uploadedFields = {
  url: { type: 'string', description: 'URL to use as the input of a job, valid for 24 hours' },
} as const satisfies RecordTable;

/** How far an upload in parts is. */
const uploadStateFields = {
  received: { type: 'integer', description: 'number of bytes received; the next part begins there' },
  size: { type: 'integer', description: 'size of the whole file' },
  url: {
    type: 'string',
    isOptional: true,
    description: 'URL to use as the input of a job, valid for 24 hours; absent until the file is complete',
  },
} as const satisfies RecordTable;

/** A link that signs in at the page. */
export const pageLinkFields = {
  url: { type: 'string', format: 'uri', description: 'address of the link' },
  expires_at: { type: 'string', format: 'date-time', description: 'until when it signs in, once' },
} as const satisfies RecordTable;

/** What a client must read of a file that is to be read in place. */
export const inPlaceChallengeFields = {
  token: { type: 'string', description: 'name of the offer, for the proof' },
  key: { type: 'string', description: 'key of the hash, in hexadecimal digits' },
  ranges: {
    type: 'array',
    item: 'range',
    of: {
      type: 'object',
      fields: {
        offset: { type: 'integer', description: 'position of the first byte, from 0' },
        length: { type: 'integer', description: 'number of bytes' },
      },
      description: 'a range',
    },
    description: 'the ranges of the file to read, in the order of the hash',
  },
} as const satisfies RecordTable;

/** A file that is read in place. */
const inPlaceFileFields = {
  url: { type: 'string', description: 'URL to use as the input of a job, valid for 10 minutes' },
} as const satisfies RecordTable;

const object = <T extends RecordTable>(fields: T, description: string) =>
  ({ type: 'object', fields, description }) as const;

/** The state of the queue for an account, an addition to the document. */
export const queueFields = {
  paused: { type: 'boolean', description: 'whether no further job starts' },
  ...queuePauseFields,
  not_frozen_by: {
    type: 'array',
    isOptional: true,
    item: 'name',
    of: { type: 'string', description: 'name of a worker' },
    description:
      'in the answer to a pause: the workers that finish their encodes, because their version cannot stop them; otherwise absent',
  },
} as const satisfies RecordTable;

/** The pause of a job, an addition to the document. */
export const jobPauseFields = {
  paused: { type: 'boolean', description: 'whether the job itself is paused' },
  frozen: {
    type: 'boolean',
    description: 'whether its run is stopped, at once or with the next report of its worker',
  },
  not_frozen_by: {
    type: 'string',
    isOptional: true,
    description:
      'name of the worker that runs it to its end, because its version cannot stop it; otherwise absent',
  },
} as const satisfies RecordTable;

/** What a worker checks before it asks for work: versions and clock. */
export const workerInfoFields = {
  protocol: { type: 'integer', description: 'version of the protocol of workers that the daemon speaks' },
  min_protocol: {
    type: 'integer',
    description: 'the oldest version of the protocol that the daemon accepts',
  },
  version: { type: 'string', description: 'version of the daemon' },
  time: { type: 'string', format: 'date-time', description: 'time of the daemon' },
} as const satisfies RecordTable;

/** The complete record of every response, by the name that the route table uses. */
export const responses = {
  created: object(createdFields, 'a job that was created (section 4.1)'),
  job: object({ job: object(jobFields, 'the job') }, 'job details (section 4.2)'),
  jobs: {
    type: 'array',
    name: 'jobs',
    item: 'job',
    of: object({ job: object(listedJobFields, 'the job') }, 'one job'),
    description: 'a page of jobs, newest first (section 4.3)',
  },
  jobProgress: object(jobProgressFields, 'progress of a job, its input and its outputs'),
  inputDetails: object(inputDetailsFields, 'input details (section 2.1)'),
  outputDetails: object(outputDetailsFields, 'output details (section 2.2)'),
  inputProgress: object(inputProgressFields, 'progress of an input (section 2.4)'),
  outputProgress: object(outputProgressFields, 'progress of an output (section 2.4)'),
  inputProgressV1: object(inputProgressV1Fields, 'progress of an input in version 1 (section 9)'),
  outputProgressV1: object(outputProgressV1Fields, 'progress of an output in version 1 (section 9)'),
  outputProgressEarly: object(
    earlyOutputProgressFields,
    'progress of an output in the early form (section 6)',
  ),
  reportAll: object(allReportFields, 'usage, live and files (section 4.10)'),
  reportLive: object(liveReportFields, 'usage of live streaming (section 4.11)'),
  reportVod: object(vodReportFields, 'usage of files encoded (section 4.10)'),
  log: object(logFields, 'lines of a log'),
  workers: object(workerListFields, 'the remote workers'),
  queue: object(queueFields, 'the state of the queue'),
  presets: object(presetListFields, 'the presets'),
  preset: object(presetFields, 'a preset'),
  savedPreset: object(savedPresetFields, 'a preset that was saved'),
  jobPause: object(jobPauseFields, 'the pause of a job'),
  uploaded: object(uploadedFields, 'a file that was uploaded'),
  uploadState: object(uploadStateFields, 'how far an upload in parts is'),
  pageLink: object(pageLinkFields, 'a link to the page'),
  inPlaceChallenge: object(inPlaceChallengeFields, 'what to read of a file'),
  inPlaceFile: object(inPlaceFileFields, 'a file that is read in place'),
  settings: object(
    {
      settings: {
        type: 'array',
        item: 'setting',
        of: object(settingFields, 'one setting'),
        description: 'the settings, those of the job first',
      },
    },
    'every setting of a job and of its outputs',
  ),
  health: object(healthFields, 'whether the daemon accepts jobs'),
  version: object(versionFields, 'program and version'),
  workerInfo: object(workerInfoFields, 'what a worker checks before it asks for work'),
  workerJoined: object(workerJoinedFields, 'a worker that has joined'),
  workerClaimed: object(workerClaimedFields, 'a claim'),
  workerHeartbeat: object(workerHeartbeatAnswerFields, 'the answer to a heartbeat'),
  workerChanged: object(workerChangedFields, 'the job after a change'),
  workerCredential: object(workerCredentialFields, 'saved credentials'),
  workerReceived: object(workerReceivedFields, 'how much of a file was received'),
  workerStored: object(workerStoredFields, 'what was received and, once it is complete, delivered'),
  errors: object(errorsFields, 'an error response'),
} as const satisfies Readonly<Record<string, Field>>;

/** The name of a response. */
export type ResponseName = keyof typeof responses;
