import type { RecordOf } from './field.js';
import { jobHeadFields } from './job.js';
import { inputDetailsFields, outputDelivery, outputDetailsFields } from './media.js';

const commonFields = {
  job: { type: 'object', fields: jobHeadFields, description: 'the job' },
  input: { type: 'object', fields: inputDetailsFields, description: 'its input' },
} as const;
const image = {
  type: 'object',
  fields: {
    url: { type: 'string', description: 'URL of the image' },
    format: { type: 'string', values: ['PNG', 'JPG'], description: 'its format' },
    file_size_bytes: { type: 'integer', description: 'size of its file' },
    dimensions: { type: 'string', description: 'its size, as WIDTHxHEIGHT' },
  },
  description: 'one image',
} as const;
const thumbnails = {
  type: 'array',
  isOptional: true,
  of: {
    type: 'object',
    fields: {
      label: { type: 'string', isNullable: true, description: 'label of the set' },
      images: { type: 'array', of: image, item: 'image', description: 'its images' },
    },
    description: 'one set of images',
  },
  item: 'thumbnail',
  description: 'sets of images taken from the output; absent if there are none',
} as const;
const output = {
  type: 'object',
  fields: { ...outputDetailsFields, ...outputDelivery, thumbnails },
  description: 'the output',
} as const;

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
/** An output in a notification. */
export type NotifiedOutput = OutputNotificationBody['output'];
/** The body of the notification of an output. */
export type OutputNotificationBody = RecordOf<typeof outputNotificationFields.fields>;
