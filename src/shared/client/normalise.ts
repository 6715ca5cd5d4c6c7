import { createdFields, jobFields } from '../records/job.js';
import { inputDetailsFields, outputDetailsFields } from '../records/media.js';
import { jobProgressFields, outputProgressFields } from '../records/progress.js';
import type {
  CreatedRecord,
  InputDetails,
  InputMediaFile,
  JobProgressRecord,
  JobRecord,
  OutputDetails,
  OutputMediaFile,
  ProgressRecord,
} from '../records.js';
import { roundToHundredths } from '../text/numbers.js';
import { coerceRecord, fieldsOf, itemsOf, readPercent } from './coerce.js';

/* The records of a service as this program uses them: numbers are numbers, and missing values are null. */

/** The job object of `{"job": {...}}`; a value without the wrapper is returned as it is. */
export function unwrapJob(response: unknown): unknown {
  const fields = fieldsOf(response);
  if (typeof fields.job === 'object' && fields.job !== null) return fields.job;
  return Array.isArray(response) && Object.keys(fields).length > 0 ? fields : response;
}

/** The job objects of a list (section 4.3). */
export function unwrapJobs(response: unknown): readonly unknown[] {
  const list = Array.isArray(response) ? response : itemsOf(fieldsOf(response).jobs);
  return list.map(unwrapJob);
}

/** Normalises a job (section 2.3), wrapped or not. `requestedId` is its id if the response has none. */
export function normaliseJob(response: unknown, requestedId = 0): JobRecord {
  const job = coerceRecord(jobFields, unwrapJob(response));
  return { ...job, id: job.id || requestedId, submitted_at: job.submitted_at || job.created_at };
}

/** Normalises input details (section 2.1). `requestedId` as for a job. */
export function normaliseInput(response: unknown, requestedId = 0): InputDetails {
  const input = coerceRecord(inputDetailsFields, response);
  return { ...input, id: input.id || requestedId };
}

/** Normalises output details (section 2.2). `requestedId` as for a job. */
export function normaliseOutput(response: unknown, requestedId = 0): OutputDetails {
  const output = coerceRecord(outputDetailsFields, response);
  return { ...output, id: output.id || requestedId };
}

/**
 * Normalises a progress record (section 2.4). Percentages are clamped to 0-100; a missing one of a finished file is
 * 100.
 */
export function normaliseProgress(response: unknown): ProgressRecord {
  const record = coerceRecord(outputProgressFields, response);
  const isComplete = record.state === 'finished' && readPercent(fieldsOf(response).progress) === null;
  return isComplete ? { ...record, progress: 100 } : record;
}

/** Normalises the progress of a whole job (`GET /v2/jobs/<id>/progress`). */
export function normaliseJobProgress(response: unknown): JobProgressRecord {
  const { input, outputs } = fieldsOf(response);
  const withId = (id: number, file: unknown) => ({ id, ...normaliseProgress(file) });
  const progress = coerceRecord(jobProgressFields, response);
  return {
    ...progress,
    input: withId(progress.input.id, input),
    outputs: itemsOf(outputs).map((output, index) => withId(progress.outputs[index]?.id ?? 0, output)),
  };
}

/**
 * The progress of a whole job, derived from its details and the progress records by input or output id, for services
 * without a route for it. A file without a record counts as 100 if it is final, otherwise as 0.
 */
export function progressOfJob(
  job: JobRecord,
  records: ReadonlyMap<number, ProgressRecord>,
): JobProgressRecord {
  const file = (media: InputMediaFile | OutputMediaFile) => ({
    id: media.id,
    ...(records.get(media.id) ?? { state: media.state, progress: media.state === 'finished' ? 100 : 0 }),
  });
  const input = file(job.input_media_file);
  const outputs = job.output_media_files.map(file);
  const sum = outputs.reduce((total, output) => total + output.progress, 0);
  const mean = outputs.length === 0 ? 0 : roundToHundredths(sum / outputs.length);
  const paused = job.paused === undefined ? {} : { paused: job.paused };
  return { state: job.state, progress: job.state === 'finished' ? 100 : mean, ...paused, input, outputs };
}

/** Normalises the answer to a create (section 4.1). */
export function normaliseCreated(response: unknown): CreatedRecord {
  return coerceRecord(createdFields, response);
}
