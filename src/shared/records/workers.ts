import type { RecordTable } from './field.js';

/** A remote worker that has joined the daemon, an addition to the document. */
export const workerStateFields = {
  name: { type: 'string', description: 'its name' },
  version: { type: 'string', description: 'version of its venc' },
  ffmpeg: { type: 'string', description: 'version of its ffmpeg' },
  jobs: { type: 'integer', description: 'how many jobs it encodes at once' },
  labels: {
    type: 'array',
    of: { type: 'string', description: 'one label' },
    item: 'label',
    description: 'its labels',
  },
  job_ids: {
    type: 'array',
    of: { type: 'integer', description: 'id of a job' },
    item: 'job_id',
    description: 'the jobs that it runs',
  },
  draining: {
    type: 'boolean',
    description: 'whether it takes no further jobs and ends after those that it runs',
  },
  paused: { type: 'boolean', description: 'whether it takes no jobs for now' },
  closed_by: {
    type: 'string',
    values: ['hours', 'load'],
    isNullable: true,
    description:
      'why its own settings let it take no jobs now: it is outside its hours (--hours), or its machine is busy (--when-idle); null if they do',
  },
  closed_until: {
    type: 'string',
    format: 'date-time',
    isNullable: true,
    description: 'when its hours begin; null within them, or if they never do',
  },
  speed: {
    type: 'number',
    isNullable: true,
    description:
      'the sum of the speeds of its encoders, as a multiple of real time; null if nothing is being encoded',
  },
  joined_at: { type: 'string', format: 'date-time', description: 'when it joined' },
  last_seen_at: { type: 'string', format: 'date-time', description: 'when it last reported' },
} as const satisfies RecordTable;

/** The remote workers that have joined, by name. */
export const workerListFields = {
  workers: {
    type: 'array',
    of: { type: 'object', fields: workerStateFields, description: 'one worker' },
    item: 'worker',
    description: 'the workers, by name',
  },
} as const satisfies RecordTable;
