import { logLevels } from '../util/log.js';
import type { RecordTable } from './field.js';

/** A line of a log, an addition to the document. */
export const logLineFields = {
  id: { type: 'string', description: 'id of the line, as in Last-Event-ID' },
  time: { type: 'string', format: 'date-time', description: 'when it was written' },
  level: { type: 'string', values: logLevels, description: 'severity' },
  message: { type: 'string', description: 'what happened, without secrets' },
  job_id: { type: 'integer', isOptional: true, description: 'id of the job that it is about' },
  output_id: { type: 'integer', isOptional: true, description: 'id of the output that it is about' },
  stderr: {
    type: 'array',
    isOptional: true,
    of: { type: 'string', description: 'one line' },
    item: 'line',
    description: 'the last lines that a failed ffmpeg wrote to stderr; only in the log of a job',
  },
} as const satisfies RecordTable;

/** The lines of a log, the oldest first. */
export const logFields = {
  log: {
    type: 'array',
    of: { type: 'object', fields: logLineFields, description: 'one line' },
    item: 'entry',
    description: 'the lines, the oldest first',
  },
} as const satisfies RecordTable;
