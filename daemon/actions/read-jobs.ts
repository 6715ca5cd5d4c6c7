import type {
  InputDetails,
  JobProgressRecord,
  JobRecord,
  OutputDetails,
  ProgressRecord,
} from '../../src/shared/records.js';
import { inputProgress, jobProgress, outputProgress } from '../jobs/progress-view.js';
import { inputDetails, jobRecord, outputDetails } from '../jobs/view.js';
import type { Workshop } from './app-context.js';
import { findInput, findJob, findOutput } from './find-job.js';

/** Job details (section 4.2). */
export async function readJob(workshop: Workshop, accountId: string, id: number): Promise<JobRecord> {
  return jobRecord(await findJob(workshop, accountId, id));
}

/** Progress of a job, its input and its outputs. */
export async function readJobProgress(
  workshop: Workshop,
  accountId: string,
  id: number,
): Promise<JobProgressRecord> {
  return jobProgress(await findJob(workshop, accountId, id), workshop.book.read(id));
}

/** Input details (section 4.6). */
export async function readInput(workshop: Workshop, accountId: string, id: number): Promise<InputDetails> {
  return inputDetails(await findInput(workshop, accountId, id));
}

/** Progress of an input (section 4.8). */
export async function readInputProgress(
  workshop: Workshop,
  accountId: string,
  id: number,
): Promise<ProgressRecord> {
  const job = await findInput(workshop, accountId, id);
  return inputProgress(job, workshop.book.read(job.id));
}

/** Output details (section 4.7). */
export async function readOutput(workshop: Workshop, accountId: string, id: number): Promise<OutputDetails> {
  return outputDetails((await findOutput(workshop, accountId, id)).output);
}

/** Progress of an output (section 4.9). */
export async function readOutputProgress(
  workshop: Workshop,
  accountId: string,
  id: number,
): Promise<ProgressRecord> {
  const { job, output } = await findOutput(workshop, accountId, id);
  return outputProgress(job, output, workshop.book.read(job.id));
}
