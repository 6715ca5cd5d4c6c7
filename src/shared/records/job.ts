import { jobStates } from '../states.js';
import type { RecordTable } from './field.js';
import {
  inputFileFields,
  labelsField,
  listedInputFields,
  listedOutputFields,
  outputFileFields,
} from './media.js';

const time = { type: 'string', format: 'date-time' } as const;
const text = { type: 'string', isNullable: true } as const;

/** One of `thumbnails` of a job (section 2.3). */
export const thumbnailFields = {
  id: { type: 'integer', description: 'id of the thumbnail' },
  url: { type: 'string', description: 'URL of the image' },
  created_at: { ...time, description: 'when it was created' },
  updated_at: { ...time, description: 'when it last changed' },
  group_label: {
    type: 'string',
    isOptional: true,
    description: 'label of its set; absent if the set has none; an addition',
  },
} as const satisfies RecordTable;

/** A job without its files, as in notifications. */
export const jobHeadFields = {
  id: { type: 'integer', description: 'id of the job' },
  state: { type: 'string', values: jobStates, description: 'state of the job' },
  test: { type: 'boolean', description: 'whether it is a test job' },
  pass_through: { ...text, description: 'text that was given with the request' },
  grouping: { ...text, description: 'report grouping of the job; an addition' },
  created_at: { ...time, description: 'when it was created' },
  updated_at: { ...time, description: 'when it last changed' },
  submitted_at: { ...time, description: 'when it was last submitted' },
  finished_at: { ...time, isNullable: true, description: 'when it ended' },
} as const satisfies RecordTable;

const thumbnails = {
  type: 'array',
  of: { type: 'object', fields: thumbnailFields, description: 'one image' },
  item: 'thumbnail',
  description: 'images taken from the outputs; empty until the job is complete',
} as const;

/** An addition: the name of a remote worker. */
const worker = {
  type: 'string',
  isOptional: true,
  description:
    'name of the worker that runs the job, or ran it to its end; absent if the daemon itself does; an addition',
} as const;

/** What a request asks for and does not get: an unknown field, a setting without effect, a corrected value. */
const warnings = {
  type: 'array',
  isOptional: true,
  of: {
    type: 'object',
    fields: {
      field: { type: 'string', description: 'path of the field, e.g. outputs[0].widht' },
      message: { type: 'string', description: 'what happened, a sentence without the path' },
    },
    description: 'one warning',
  },
  item: 'warning',
  description: 'warnings about the request, at most 100; absent if there are none; an addition',
} as const;

/** Not in notifications: only the account sees it. */
const inputName = {
  input_name: {
    type: 'string',
    isOptional: true,
    description: 'name of the input in the request, such as the path of an uploaded file; an addition',
  },
} as const satisfies RecordTable;
/** An addition: the pause of the job itself. */
const paused = {
  type: 'boolean',
  isOptional: true,
  description:
    'true if the job itself is paused: it does not start, or its encoder is stopped; otherwise absent; an addition',
} as const;

/** An addition: whose job it is. */
const account = {
  type: 'string',
  isOptional: true,
  description: 'name of its account, with the parameter account; otherwise absent; an addition',
} as const;

/** A job as the job list shows it (section 2.3): without checksums. */
export const listedJobFields = {
  ...jobHeadFields,
  ...inputName,
  input_media_file: { type: 'object', fields: listedInputFields, description: 'the input' },
  output_media_files: {
    type: 'array',
    of: { type: 'object', fields: listedOutputFields, description: 'one output' },
    item: 'output_media_file',
    description: 'the outputs',
  },
  thumbnails,
  paused,
  worker,
  account,
} as const satisfies RecordTable;

/** How a job waits in the queue. */
const queueFields = {
  priority: {
    type: 'integer',
    isOptional: true,
    description:
      'priority from -10 to 10, or greater for a job that was put first; absent if it is 0; an addition',
  },
  requires: {
    ...labelsField,
    description:
      'labels that a machine must have to work on the job, without those of its outputs; absent if there are none; an addition',
  },
} as const satisfies RecordTable;

const elapsed = { type: 'integer', isOptional: true } as const;

/** How long the stages of a job took. */
const durationFields = {
  waited_in_ms: {
    ...elapsed,
    description: 'how long it waited since it was last submitted; absent before it begins; an addition',
  },
  encoded_in_ms: {
    ...elapsed,
    description: 'how long its finished outputs were encoded, in total; absent before one has; an addition',
  },
  delivered_in_ms: {
    ...elapsed,
    description: 'how long their files were delivered, in total; absent before one has; an addition',
  },
} as const satisfies RecordTable;

/** How the endpoints of its notifications answered. */
const notificationAttempts = {
  type: 'array',
  isOptional: true,
  of: {
    type: 'object',
    fields: {
      id: { type: 'string', description: 'the webhook-id of the notification' },
      output_id: {
        type: 'integer',
        isNullable: true,
        description: 'id of the output that ended; null if the job ended',
      },
      event: { type: 'string', description: 'job or output and its state, e.g. job_finished' },
      destination: {
        type: 'string',
        description: 'scheme, host and port of the endpoint, without its path, which may be a secret',
      },
      attempt: { type: 'integer', description: 'number of the attempt, from 1' },
      attempted_at: { ...time, description: 'when it ended' },
      status: {
        type: 'integer',
        isNullable: true,
        description: 'HTTP status of the answer; null without an answer, and for a mail',
      },
      error_message: { ...text, description: 'why it was not accepted; null if it was' },
    },
    description: 'one attempt',
  },
  item: 'notification_attempt',
  description:
    'the last 20 attempts to deliver its notifications, oldest first; absent if there are none; an addition',
} as const;

/** A job as job details show it (section 2.3). */
export const jobFields = {
  ...jobHeadFields,
  ...inputName,
  input_media_file: { type: 'object', fields: inputFileFields, description: 'the input' },
  output_media_files: {
    type: 'array',
    of: { type: 'object', fields: outputFileFields, description: 'one output' },
    item: 'output_media_file',
    description: 'the outputs',
  },
  thumbnails,
  ...queueFields,
  paused,
  ...durationFields,
  worker,
  notification_attempts: notificationAttempts,
  account,
  warnings,
} as const satisfies RecordTable;

/** Response to a create request (section 4.1): the job id as text, output ids as numbers; null ids for a mock. */
export const createdFields = {
  id: { ...text, description: 'id of the job, as text; null for a mock' },
  outputs: {
    type: 'array',
    of: {
      type: 'object',
      fields: {
        id: { type: 'integer', isNullable: true, description: 'id of the output; null for a mock' },
        label: { ...text, description: 'label in the request' },
        url: { ...text, description: 'destination of the file, without the password' },
      },
      description: 'one output',
    },
    item: 'output',
    description: 'the outputs, in the order of the request',
  },
  test: { type: 'boolean', isOptional: true, description: 'true for a test job, otherwise absent' },
  warnings,
} as const satisfies RecordTable;
