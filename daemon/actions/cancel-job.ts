import { apply } from '../jobs/changes.js';
import { withLastProgress } from '../jobs/progress.js';
import type { AppContext } from './app-context.js';
import { findJob } from './find-job.js';

/**
 * Cancels a job (section 4.5). Resolves when the cancel is durable. A run of the job is stopped at once;
 * its encoder and its files are gone soon after. Rejects with `ConflictError` unless the job is waiting or
 * processing.
 */
export async function cancelJob(
  appContext: Pick<AppContext, 'store' | 'queue' | 'progressTracker' | 'now' | 'log'>,
  accountId: string,
  id: number,
): Promise<void> {
  await findJob(appContext, accountId, id);
  await appContext.store.update(id, (job) =>
    withLastProgress(
      apply(job, { type: 'cancelled' }, appContext.now()),
      appContext.progressTracker.read(id),
    ),
  );
  appContext.log('info', `Job ${id} is cancelled.`, { jobId: id });
  appContext.queue.stop(id, 'cancelled').catch((error: unknown) => {
    appContext.log('error', `Job ${id}: its run did not stop cleanly: ${String(error)}`, { jobId: id });
  });
}
