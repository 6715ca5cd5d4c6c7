import type { RecordOf } from './field.js';
import { jobHeadFields } from './job.js';
import { inputDetailsFields, outputDetailsFields } from './media.js';

const commonFields = {
  job: { type: 'object', fields: jobHeadFields, description: 'the job' },
  input: { type: 'object', fields: inputDetailsFields, description: 'its input' },
} as const;
const output = { type: 'object', fields: outputDetailsFields, description: 'the output' } as const;

/** The notice of a job that came to its end, an addition to the document. */
export const jobNotificationFields = {
  type: 'object',
  fields: {
    ...commonFields,
    outputs: { type: 'array', of: output, item: 'output', description: 'its outputs' },
  },
  description: 'notice of a job that came to its end',
} as const;

/** The notice of an output that came to its end, an addition to the document. */
export const outputNotificationFields = {
  type: 'object',
  fields: { ...commonFields, output },
  description: 'notice of an output that came to its end',
} as const;

/** What a notice of a job tells. */
export type JobNotificationBody = RecordOf<typeof jobNotificationFields.fields>;
/** What a notice of an output tells. */
export type OutputNotificationBody = RecordOf<typeof outputNotificationFields.fields>;
