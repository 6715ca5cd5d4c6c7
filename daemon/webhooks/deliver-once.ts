import { createHmac } from 'node:crypto';
import { isVencError } from '../../src/shared/errors.js';
import { jobNotificationFields, outputNotificationFields } from '../../src/shared/records/notifications.js';
import { isEmailAddress } from '../../src/shared/settings/kinds/text.js';
import { toXml } from '../../src/shared/to-xml.js';
import { type Log, withFields } from '../../src/shared/util/log.js';
import { apply } from '../jobs/changes.js';
import type { Job, Notification } from '../jobs/job.js';
import { isLastAttempt, maxNotificationAttempts } from '../jobs/notifications.js';
import type { NotificationAttempt } from '../jobs/run-observer.js';
import { notificationRecord } from '../jobs/view.js';
import { describeError } from '../queue/job-run.js';
import { retryUntilPersisted, unrefDelay } from '../queue/retry-until-persisted.js';
import type { JobStore } from '../store/job-store.js';
import type { QueuedNotification } from './delivery-queue.js';
import { createMail, type MailSender } from './mail-sender.js';
import type { PostResult, WebhookClient, WebhookRequest } from './webhook-client.js';

/** The dependencies of a delivery attempt. */
export interface DeliveryDeps {
  readonly store: Pick<JobStore, 'get' | 'update'>;
  /** The secret that signs an account's notifications; null if there is no such account. */
  readonly secretOf: (accountId: string) => string | null;
  readonly webhookClient: WebhookClient;
  /** null if this daemon sends no mail. */
  readonly sendMail: MailSender | null;
  /** Called after each attempt whose outcome is stored. */
  readonly onAttempt?: (attempt: NotificationAttempt) => void;
  readonly now: () => Date;
  readonly log: Log;
}

/**
 * Makes one attempt to deliver a notification, with the current state of its job, and stores the outcome.
 * Resolves to the notification with its next due time; null if it is done: delivered, given up, or withdrawn
 * meanwhile. Rejects if the signal was aborted before the endpoint accepted it, and if the job cannot be
 * read.
 */
export async function deliverOnce(
  deps: DeliveryDeps,
  { id, jobId, origin }: QueuedNotification,
  signal: AbortSignal,
): Promise<Notification | null> {
  const { store, now } = deps;
  const job = await store.get(jobId);
  const notification = findNotification(job, id);
  if (job === null || notification === null) return null;
  const { outputId } = notification;
  const log = withFields(deps.log, { jobId, ...(outputId === null ? {} : { outputId }) });
  const startedMs = now().getTime();
  const startedAt = performance.now();
  const isMail = isEmailAddress(notification.target.url);
  const { status, failure } = await (isMail ? mail : post)(deps, job, notification, signal);
  const answer = { destination: origin, status, failure };
  const seconds = (performance.now() - startedAt) / 1000;
  const type = failure === null ? 'notification-delivered' : 'notification-failed';
  const persisted = await persistOutcome(
    deps,
    jobId,
    (stored) => apply(stored, { type, notificationId: id, answer }, now()),
    signal,
  );
  const next = findNotification(persisted, id);
  const what = `notification ${id} of job ${jobId} to ${origin}`;
  const attempts = notification.attempts + 1;
  const isLast = isLastAttempt(notification);
  deps.onAttempt?.({
    jobId,
    outputId,
    kind: isMail ? 'mail' : 'webhook',
    result: failure === null ? 'delivered' : isLast ? 'gave-up' : 'failed',
    startedMs,
    seconds,
  });
  if (failure === null) log('info', `Delivered ${what}.`);
  else if (isLast) log('error', `Gave up ${what} after attempt ${attempts}: ${failure}`);
  else {
    const nextAttemptNote = next === null ? '' : `, the next at ${next.dueAt}`;
    log(
      'warn',
      `Could not deliver ${what} (attempt ${attempts} of ${maxNotificationAttempts}${nextAttemptNote}): ${failure}`,
    );
  }
  return next;
}

/** Posts a notification. */
async function post(
  { secretOf, webhookClient, now }: DeliveryDeps,
  job: Job,
  notification: Notification,
  signal: AbortSignal,
): Promise<PostResult> {
  const secret = secretOf(job.accountId);
  return secret === null
    ? { status: null, failure: 'The account, whose secret signs it, no longer exists.' }
    : webhookClient.post(createWebhookRequest(job, notification, secret, now()), signal);
}

/** Sends a notification as a mail, like `post`. */
async function mail(
  { sendMail }: DeliveryDeps,
  job: Job,
  notification: Notification,
  signal: AbortSignal,
): Promise<PostResult> {
  const failure =
    sendMail === null
      ? 'This daemon sends no mail: it was started without --sendmail.'
      : await sendMail(createMail(job, notification), signal);
  return { status: null, failure };
}

/**
 * Stores the outcome of an attempt, and retries while the store has no space. The notification keeps its slot
 * meanwhile, because no other outcome could be stored either. Null if the signal was aborted before.
 */
function persistOutcome(
  { store, log }: DeliveryDeps,
  jobId: number,
  change: (job: Job) => Job,
  signal: AbortSignal,
): Promise<Job | null> {
  const write = () => store.update(jobId, change);
  // Tried once in any case: a notification that was accepted just before the shutdown must not be sent again
  // at the next start.
  return write().catch((first: unknown) => {
    // The job was removed meanwhile, with its notifications.
    if (isVencError(first, 'NotFoundError')) return null;
    return retryUntilPersisted(write, {
      signal,
      delay: unrefDelay,
      onFailure: (error) =>
        log(
          'warn',
          `The outcome of a notification of job ${jobId} cannot be stored yet: ${describeError(error)}`,
          { jobId },
        ),
    });
  });
}

function findNotification(job: Job | null, id: string): Notification | null {
  return job?.pendingNotifications.find((notification) => notification.id === id) ?? null;
}

/**
 * Makes the request of a notification: its current content in the requested format, signed according to the
 * Standard Webhooks specification. `secret` is that of the account, `whsec_` and base64.
 */
function createWebhookRequest(
  job: Job,
  notification: Notification,
  secret: string,
  now: Date,
): WebhookRequest {
  const { url, format, headers } = notification.target;
  const record = notificationRecord(job, notification);
  const isXml = format === 'xml';
  const body = isXml
    ? toXml(record, notification.outputId === null ? jobNotificationFields : outputNotificationFields)
    : JSON.stringify(record);
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const own = Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text] as const);
  return {
    url,
    headers: {
      ...Object.fromEntries(own),
      'content-type': `application/${isXml ? 'xml' : 'json'}; charset=utf-8`,
      'webhook-id': notification.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature(secret, `${notification.id}.${timestamp}.${body}`)}`,
    },
    body,
  };
}

function signature(secret: string, signed: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(signed, 'utf8').digest('base64');
}
