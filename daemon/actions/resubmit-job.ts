import { apply } from '../jobs/changes.js';
import { type AppContext, requireHealthy } from './app-context.js';
import { findJob } from './find-job.js';

/**
 * Runs a job again (section 4.4). A current run of the job is stopped first; finished outputs are kept.
 * Rejects with `ConflictError` for a finished job, `ResubmitLimitError` beyond the limit.
 */
export async function resubmitJob(
  appContext: Pick<AppContext, 'store' | 'queue' | 'checkHealth' | 'now' | 'log'>,
  accountId: string,
  id: number,
): Promise<void> {
  await findJob(appContext, accountId, id);
  await requireHealthy(appContext);
  const job = await appContext.store.update(id, (stored) =>
    apply(stored, { type: 'resubmitted' }, appContext.now()),
  );
  appContext.log('info', `Job ${id} is resubmitted.`, { jobId: id });
  await appContext.queue.stop(id, 'resubmitted');
  await appContext.queue.enqueue(job);
}
