import { randomBytes } from 'node:crypto';
import { apply } from '../jobs/changes.js';
import type { AppContext } from './app-context.js';
import { findJob } from './find-job.js';

/**
 * Sends the notifications of a job that has ended again, once each: those of its outputs, then those of the job itself,
 * with their current state. Notifications that are still being tried stay as they are. Rejects with `ConflictError` if
 * the job has not ended, or has no notifications.
 */
export async function resendNotifications(
  { store, now, log }: Pick<AppContext, 'store' | 'now' | 'log'>,
  accountId: string,
  id: number,
): Promise<void> {
  await findJob({ store }, accountId, id);
  const token = randomBytes(6).toString('hex');
  await store.update(id, (job) => apply(job, { type: 'notifications-resent', token }, now()));
  log('info', `The notifications of job ${id} are sent again.`, { jobId: id });
}
