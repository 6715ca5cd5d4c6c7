import { VencError } from '../../src/shared/errors.js';
import type { Job, JobOutput } from '../jobs/job.js';
import type { AppContext } from './app-context.js';

type FindDeps = Pick<AppContext, 'store'>;

/**
 * The job with this id, if it belongs to the account. A job of another account is reported as missing
 * (section 5): `NotFoundError`. A damaged record is `GoneError`.
 */
export async function findJob(appContext: FindDeps, accountId: string, id: number): Promise<Job> {
  const job = await appContext.store.get(id);
  if (job === null || job.accountId !== accountId) throw notFoundError('job', id);
  return job;
}

/** The job whose input has this id (section 4.6: job and output ids are not accepted). */
export async function findInput(appContext: FindDeps, accountId: string, id: number): Promise<Job> {
  const job = await appContext.store.findByFile(id);
  if (job === null || job.accountId !== accountId || job.input.id !== id) throw notFoundError('input', id);
  return job;
}

/** The output with this id, and its job (section 4.7: job ids are not accepted). */
export async function findOutput(
  appContext: FindDeps,
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
