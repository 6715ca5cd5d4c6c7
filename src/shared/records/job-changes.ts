import { queueFields } from './answers.js';
import type { RecordTable } from './field.js';
import { logLineFields } from './log.js';
import { jobProgressFields } from './progress.js';

/** What has changed of the jobs of an account: one event of `GET /v2/events`, an addition to the document. */
export const jobChangesFields = {
  active: {
    type: 'boolean',
    isOptional: true,
    description: 'true if jobs are all jobs that have not ended, as far as more does not count others',
  },
  reset: {
    type: 'boolean',
    isOptional: true,
    description:
      'true if the changes since the last event that the client has are not known: it loads its list again',
  },
  more: {
    type: 'integer',
    isOptional: true,
    description: 'number of jobs that have not ended and are not in jobs; only with active',
  },
  queue: {
    type: 'object',
    isOptional: true,
    fields: queueFields,
    description: 'the state of the queue: in the first event and after each change',
  },
  jobs: {
    type: 'array',
    item: 'job',
    of: {
      type: 'object',
      fields: {
        id: { type: 'integer', description: 'id of the job' },
        account: {
          type: 'string',
          isOptional: true,
          description: 'name of its account; only with the parameter account',
        },
        ...jobProgressFields,
      },
      description: 'progress of one job',
    },
    description: 'the jobs that have changed',
  },
  removed: {
    type: 'array',
    item: 'id',
    of: { type: 'integer', description: 'id of a job' },
    description: 'the jobs that were removed',
  },
  log: {
    type: 'array',
    isOptional: true,
    item: 'entry',
    of: { type: 'object', fields: logLineFields, description: 'one line' },
    description: 'new lines of the log of the job that the parameter log names, the oldest first',
  },
} as const satisfies RecordTable;
