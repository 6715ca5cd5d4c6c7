import type { RecordTable } from './field.js';

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
