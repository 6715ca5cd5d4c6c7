import type { Client } from '../../client/client.js';
import { fieldsOf, readId } from '../../client/coerce.js';
import { isVencError, VencError } from '../../shared/errors.js';

/**
 * The error of a job that there is not, with what the id stands for instead where it is that of an input or an output. Any other error
 * as it is. Never rejects.
 */
export async function explainMissingJob(client: Client, id: number, error: unknown): Promise<unknown> {
  if (!isVencError(error, 'NotFoundError')) return error;
  const found = (await inputOf(client, id)) ?? (await outputOf(client, id));
  if (found === null) return error;
  const { kind, jobId } = found;
  const owner = jobId === null ? 'a job' : `job ${jobId}`;
  return new VencError('NotFoundError', `${id} is not a job: it is the ${kind} ${id} of ${owner}.`, {
    cause: error,
    hint: `${jobId === null ? '' : `venc show ${jobId} shows the job, `}venc ${kind} ${id} the ${kind}`,
  });
}

interface FoundFile {
  readonly kind: 'input' | 'output';
  /** Null where the service does not tell. */
  readonly jobId: number | null;
}

async function inputOf(client: Client, id: number): Promise<FoundFile | null> {
  const asked = await client.call('inputDetails', { values: { id } }).catch(() => null);
  if (asked === null) return null;
  const jobId = readId(fieldsOf(asked.body).job_id);
  return { kind: 'input', jobId: jobId > 0 ? jobId : null };
}

/** Details of an output do not name its job (section 2.2): it is looked for among the newest jobs. */
async function outputOf(client: Client, id: number): Promise<FoundFile | null> {
  if ((await client.call('outputDetails', { values: { id } }).catch(() => null)) === null) return null;
  const page = await client.listJobs({ perPage: 50 }).catch(() => null);
  const job = page?.jobs.find((one) => one.output_media_files.some((output) => output.id === id));
  return { kind: 'output', jobId: job?.id ?? null };
}
