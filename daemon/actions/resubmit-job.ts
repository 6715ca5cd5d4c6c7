import { apply } from '../jobs/changes.js';
import type { Workshop } from './app-context.js';
import { findJob } from './find-job.js';
import { refuseWhenTroubled } from './reject-when-unhealthy.js';

/**
 * Runs a job again (section 4.4). A run that holds it is stopped first; outputs already finished are kept.
 * Rejects with `ConflictError` for a finished job, `ResubmitLimitError` beyond the limit.
 */
export async function resubmitJob(workshop: Workshop, accountId: string, id: number): Promise<void> {
  await findJob(workshop, accountId, id);
  await refuseWhenTroubled(workshop);
  await workshop.store.update(id, (job) => apply(job, { type: 'resubmitted' }, workshop.now()));
  workshop.log('info', `Job ${id} is resubmitted.`);
  await workshop.queue.stop(id, 'resubmitted');
  await workshop.queue.enqueue(id);
}
