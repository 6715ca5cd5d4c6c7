import { isVencError } from '../../src/shared/errors.js';
import type { Log } from '../../src/shared/util/log.js';
import { apply } from '../jobs/changes.js';
import type { Job } from '../jobs/job.js';
import type { Notification } from '../jobs/notification.js';
import { maxNotificationAttempts } from '../jobs/notifications.js';
import { describeError } from '../queue/end-of-run.js';
import { retryUntilPersisted, unrefDelay } from '../queue/retry-until-persisted.js';
import type { JobStore } from '../store/job-store.js';
import type { QueuedNotification } from './delivery-queue.js';
import type { WebhookClient } from './webhook-client.js';
import { createWebhookRequest } from './webhook-request.js';

/** What an attempt at a notice depends on. */
export interface DeliveryDeps {
  readonly store: Pick<JobStore, 'get' | 'update'>;
  /** The secret that notices of an account are signed with; null where there is no such account. */
  readonly secretOf: (accountId: string) => string | null;
  readonly webhookClient: WebhookClient;
  readonly now: () => Date;
  readonly log: Log;
}

/**
 * Makes one attempt at a notice, as its job has it now, and keeps what became of it. Resolves to the notice as it is due again; to null
 * where it is done with: delivered, given up, or withdrawn meanwhile. Rejects where the signal was aborted before it was taken, and
 * where the job cannot be read.
 */
export async function deliverOnce(
  deps: DeliveryDeps,
  { id, jobId, origin }: QueuedNotification,
  signal: AbortSignal,
): Promise<Notification | null> {
  const { store, secretOf, webhookClient, now, log } = deps;
  const job = await store.get(jobId);
  const notification = findNotification(job, id);
  if (job === null || notification === null) return null;
  const secret = secretOf(job.accountId);
  const failure =
    secret === null
      ? 'There is no such account any more, whose secret would sign it.'
      : await webhookClient.post(createWebhookRequest(job, notification, secret, now()), signal);
  const type = failure === null ? 'notice-delivered' : 'notice-failed';
  const persisted = await persistOutcome(
    deps,
    jobId,
    (stored) => apply(stored, { type, notificationId: id }, now()),
    signal,
  );
  const next = findNotification(persisted, id);
  const what = `notice ${id} of job ${jobId} to ${origin}`;
  const attempts = notification.attempts + 1;
  if (failure === null) log('info', `Delivered ${what}.`);
  else if (attempts >= maxNotificationAttempts)
    log('error', `Gave up ${what} after attempt ${attempts}: ${failure}`);
  else {
    const nextAttemptNote = next === null ? '' : `, the next at ${next.dueAt}`;
    log(
      'warn',
      `Could not deliver ${what} (attempt ${attempts} of ${maxNotificationAttempts}${nextAttemptNote}): ${failure}`,
    );
  }
  return next;
}

/**
 * Writes what became of an attempt, however long it takes the store to find room for that. The notice keeps its turn meanwhile, as of no
 * other one could it be kept either. Null where the signal was aborted before.
 */
function persistOutcome(
  { store, log }: DeliveryDeps,
  jobId: number,
  change: (job: Job) => Job,
  signal: AbortSignal,
): Promise<Job | null> {
  const write = () => store.update(jobId, change);
  // Tried once in any case: what was taken just before the end is not to be sent again at the next start.
  return write().catch((first: unknown) => {
    // Its job was removed meanwhile, and its notices with it.
    if (isVencError(first, 'NotFoundError')) return null;
    return retryUntilPersisted(write, {
      signal,
      delay: unrefDelay,
      onFailure: (error) =>
        log('warn', `What became of a notice of job ${jobId} cannot be kept yet: ${describeError(error)}`),
    });
  });
}

function findNotification(job: Job | null, id: string): Notification | null {
  return job?.pendingNotifications.find((notification) => notification.id === id) ?? null;
}
