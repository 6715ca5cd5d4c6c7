import { VencError } from '../../src/shared/errors.js';
import type { Job, JobOutput } from '../jobs/job.js';
import type { AppContext } from './app-context.js';

/**
 * The job with this id, if it is the account's. What belongs to another account looks as if it did not exist
 * (section 5): `NotFoundError`; a damaged record is `GoneError`.
 */
export async function findJob(appContext: AppContext, accountId: string, id: number): Promise<Job> {
  const job = await appContext.store.get(id);
  if (job === null || job.accountId !== accountId) throw notFoundError('job', id);
  return job;
}

/** The job whose input has this id (section 4.6: job and output ids are not accepted). */
export async function findInput(appContext: AppContext, accountId: string, id: number): Promise<Job> {
  const job = await appContext.store.findByFile(id);
  if (job === null || job.accountId !== accountId || job.input.id !== id) throw notFoundError('input', id);
  return job;
}

/** The output with this id, and its job (section 4.7: job ids are not accepted). */
export async function findOutput(
  appContext: AppContext,
  accountId: string,
  id: number,
): Promise<{ readonly job: Job; readonly output: JobOutput }> {
  const job = await appContext.store.findByFile(id);
  const output = job?.outputs.find((candidate) => candidate.id === id);
  if (job === null || job === undefined || output === undefined || job.accountId !== accountId)
    throw notFoundError('output', id);
  return { job, output };
}

function notFoundError(kind: string, id: number): VencError {
  return new VencError('NotFoundError', `There is no ${kind} with the id ${id}.`);
}
