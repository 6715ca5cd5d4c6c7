import type { RecordOf } from './field.js';
import { jobHeadFields } from './job.js';
import { inputDetailsFields, outputDetailsFields } from './media.js';

const commonFields = {
  job: { type: 'object', fields: jobHeadFields, description: 'the job' },
  input: { type: 'object', fields: inputDetailsFields, description: 'its input' },
} as const;
const output = { type: 'object', fields: outputDetailsFields, description: 'the output' } as const;

/** The notification of a job that ended: not a part of the hosted service's API. */
export const jobNotificationFields = {
  type: 'object',
  fields: {
    ...commonFields,
    outputs: { type: 'array', of: output, item: 'output', description: 'its outputs' },
  },
  description: 'notification of a job that ended',
} as const;

/** The notification of an output that ended, an addition to the document. */
export const outputNotificationFields = {
  type: 'object',
  fields: { ...commonFields, output },
  description: 'notification of an output that ended',
} as const;

/** The body of the notification of a job. */
export type JobNotificationBody = RecordOf<typeof jobNotificationFields.fields>;
/** The body of the notification of an output. */
export type OutputNotificationBody = RecordOf<typeof outputNotificationFields.fields>;
