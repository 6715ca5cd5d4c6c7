import type { RecordTable } from './field.js';

/** Every complaint of a refusal. */
const errors = {
  type: 'array',
  of: { type: 'string', description: 'one full sentence' },
  item: 'error',
  description: 'every complaint at once',
} as const;

/** Body of every refusal. */
export const errorsFields = { errors } as const satisfies RecordTable;

/** Whether the daemon can take jobs. */
export const healthFields = {
  status: {
    type: 'string',
    values: ['ok', 'unavailable'],
    description: 'ok, or unavailable with the reasons',
  },
  errors: { ...errors, isOptional: true, description: 'why no jobs are taken' },
} as const satisfies RecordTable;

/** Which program answers. */
export const versionFields = {
  name: { type: 'string', description: 'name of the program' },
  version: { type: 'string', description: 'its version' },
} as const satisfies RecordTable;

/** A file that was uploaded. */
export const uploadedFields = {
  url: { type: 'string', description: 'address to be named as the input of a job, good for 24 hours' },
} as const satisfies RecordTable;
