import { apply } from '../jobs/changes.js';
import { withReached } from '../jobs/reached.js';
import type { Workshop } from './app-context.js';
import { findJob } from './find-job.js';

/**
 * Cancels a job (section 4.5). Resolves when that is durable; the run, if there is one, is told to stop at once and its
 * encoder and files are gone soon after. Rejects with `ConflictError` unless the job is waiting or processing.
 */
export async function cancelJob(workshop: Workshop, accountId: string, id: number): Promise<void> {
  await findJob(workshop, accountId, id);
  await workshop.store.update(id, (job) =>
    withReached(apply(job, { type: 'cancelled' }, workshop.now()), workshop.book.read(id)),
  );
  workshop.log('info', `Job ${id} is cancelled.`);
  workshop.queue.stop(id, 'cancelled').catch((error: unknown) => {
    workshop.log('error', `job ${id}: its run did not stop in good order: ${String(error)}`);
  });
}
