import { VencError } from '../../src/shared/errors.js';
import type { Job, JobOutput } from '../jobs/job.js';
import type { Workshop } from './app-context.js';

/**
 * The job with this id, if it is the account's. What belongs to another account looks as if it did not exist
 * (section 5): `NotFoundError`; a damaged record is `GoneError`.
 */
export async function findJob(workshop: Workshop, accountId: string, id: number): Promise<Job> {
  const job = await workshop.store.get(id);
  if (job === null || job.accountId !== accountId) throw missing('job', id);
  return job;
}

/** The job whose input has this id (section 4.6: job and output ids are not accepted). */
export async function findInput(workshop: Workshop, accountId: string, id: number): Promise<Job> {
  const job = await workshop.store.findByFile(id);
  if (job === null || job.accountId !== accountId || job.input.id !== id) throw missing('input', id);
  return job;
}

/** The output with this id, and its job (section 4.7: job ids are not accepted). */
export async function findOutput(
  workshop: Workshop,
  accountId: string,
  id: number,
): Promise<{ readonly job: Job; readonly output: JobOutput }> {
  const job = await workshop.store.findByFile(id);
  const output = job?.outputs.find((candidate) => candidate.id === id);
  if (job === null || job === undefined || output === undefined || job.accountId !== accountId)
    throw missing('output', id);
  return { job, output };
}

function missing(what: string, id: number): VencError {
  return new VencError('NotFoundError', `There is no ${what} with the id ${id}.`);
}
