import { VencError } from '../../src/shared/errors.js';
import { parseFileRefUrl } from '../hosted-files/file-ref.js';
import { apply } from '../jobs/changes.js';
import type { Job } from '../jobs/job.js';
import { readUrlsOf } from '../jobs/source-urls.js';
import { type AppContext, requireHealthy } from './app-context.js';
import { findJob } from './find-job.js';

/**
 * Runs a job again (section 4.4). A current run of the job is stopped first; finished outputs are kept.
 * Rejects with `ConflictError` for a finished job and for one whose upload has expired, `ResubmitLimitError` beyond the limit.
 */
export async function resubmitJob(
  appContext: Pick<AppContext, 'store' | 'queue' | 'uploads' | 'checkHealth' | 'now' | 'log'>,
  accountId: string,
  id: number,
): Promise<void> {
  await requireUploads(appContext, await findJob(appContext, accountId, id));
  await requireHealthy(appContext);
  const job = await appContext.store.update(id, (stored) =>
    apply(stored, { type: 'resubmitted' }, appContext.now()),
  );
  appContext.log('info', `Job ${id} is resubmitted.`, { jobId: id });
  await appContext.queue.stop(id, 'resubmitted');
  await appContext.queue.enqueue(job);
}

/** Rejects with `ConflictError` if an upload that a job reads is gone: the job would fail again. */
async function requireUploads({ uploads }: Pick<AppContext, 'uploads'>, job: Job): Promise<void> {
  for (const url of readUrlsOf(job).filter((source) => /^upload:/i.test(source))) {
    const ref = parseFileRefUrl(url);
    if (ref === null || (await uploads.find(ref)).state === 'there') continue;
    throw new VencError(
      'ConflictError',
      `Job ${job.id} cannot run again: its upload ${ref.name} is gone. Uploads are kept until 24 hours after the end of the last job that names them.`,
      { hint: 'Upload the file again, and create a new job.' },
    );
  }
}
