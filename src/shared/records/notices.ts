import type { RecordOf } from './field.js';
import { jobHeadFields } from './job.js';
import { inputDetailsFields, outputDetailsFields } from './media.js';

const head = {
  job: { type: 'object', fields: jobHeadFields, note: 'the job' },
  input: { type: 'object', fields: inputDetailsFields, note: 'its input' },
} as const;
const output = { type: 'object', fields: outputDetailsFields, note: 'the output' } as const;

/** The notice of a job that came to its end, an addition to the document. */
export const jobNotice = {
  type: 'object',
  fields: { ...head, outputs: { type: 'array', of: output, item: 'output', note: 'its outputs' } },
  note: 'notice of a job that came to its end',
} as const;

/** The notice of an output that came to its end, an addition to the document. */
export const outputNotice = {
  type: 'object',
  fields: { ...head, output },
  note: 'notice of an output that came to its end',
} as const;

/** What a notice of a job tells. */
export type JobNotice = RecordOf<typeof jobNotice.fields>;
/** What a notice of an output tells. */
export type OutputNotice = RecordOf<typeof outputNotice.fields>;
