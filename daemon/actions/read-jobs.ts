import type {
  InputDetails,
  JobProgressRecord,
  JobRecord,
  OutputDetails,
  ProgressRecord,
} from '../../src/shared/records.js';
import { inputProgress, jobProgress, outputProgress } from '../jobs/progress.js';
import { inputDetails, jobRecord, outputDetails } from '../jobs/view.js';
import type { AppContext } from './app-context.js';
import { findInput, findJob, findOutput } from './find-job.js';

/** Job details (section 4.2). */
export async function readJob(
  appContext: Pick<AppContext, 'store'>,
  accountId: string,
  id: number,
): Promise<JobRecord> {
  return jobRecord(await findJob(appContext, accountId, id));
}

/** Progress of a job, its input and its outputs. */
export async function readJobProgress(
  appContext: Pick<AppContext, 'store' | 'progressTracker'>,
  accountId: string,
  id: number,
): Promise<JobProgressRecord> {
  return jobProgress(await findJob(appContext, accountId, id), appContext.progressTracker.read(id));
}

/** Input details (section 4.6). */
export async function readInput(
  appContext: Pick<AppContext, 'store'>,
  accountId: string,
  id: number,
): Promise<InputDetails> {
  return inputDetails(await findInput(appContext, accountId, id));
}

/** Progress of an input (section 4.8). */
export async function readInputProgress(
  appContext: Pick<AppContext, 'store' | 'progressTracker'>,
  accountId: string,
  id: number,
): Promise<ProgressRecord> {
  const job = await findInput(appContext, accountId, id);
  return inputProgress(job, appContext.progressTracker.read(job.id));
}

/** Output details (section 4.7). */
export async function readOutput(
  appContext: Pick<AppContext, 'store'>,
  accountId: string,
  id: number,
): Promise<OutputDetails> {
  return outputDetails((await findOutput(appContext, accountId, id)).output);
}

/** Progress of an output (section 4.9). */
export async function readOutputProgress(
  appContext: Pick<AppContext, 'store' | 'progressTracker'>,
  accountId: string,
  id: number,
): Promise<ProgressRecord> {
  const { job, output } = await findOutput(appContext, accountId, id);
  return outputProgress(job, output, appContext.progressTracker.read(job.id));
}
