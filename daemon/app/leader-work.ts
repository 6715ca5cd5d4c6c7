import type { AppContext } from '../actions/app-context.js';
import { JobRetention, type RetentionLimits } from '../actions/job-retention.js';
import { removeHostedFiles } from '../actions/remove-job.js';
import type { NotificationAttempt } from '../jobs/run-observer.js';
import { createSsrfGuard } from '../net/ssrf-guard.js';
import { createMailSender } from '../webhooks/mail-sender.js';
import {
  createNotificationDeliverer,
  type NotificationDelivererOptions,
} from '../webhooks/notification-deliverer.js';
import { createWebhookClient } from '../webhooks/webhook-client.js';
import type { AppBase } from './app-options.js';
import type { SharedWork } from './records/records.js';

/** What the leader works with. */
interface LeaderWorkParts extends Pick<AppContext, 'store' | 'queue' | 'hosted' | 'log' | 'now'> {
  readonly notifications: Omit<NotificationDelivererOptions, 'store' | 'log' | 'now'>;
  readonly limits: RetentionLimits;
}

/** The work that one daemon does for all. */
interface LeaderWork extends SharedWork {
  /** The number of notifications that are not delivered yet. */
  readonly waitingNotifications: number;
}

/**
 * Opens the work that one daemon does for all: it delivers notifications, and removes old jobs and the files of removed
 * ones.
 */
function openLeaderWork({ notifications, limits, ...parts }: LeaderWorkParts): LeaderWork {
  const { store, hosted, log } = parts;
  const deliverer = createNotificationDeliverer({ ...notifications, ...parts });
  const retention = new JobRetention(parts, limits);
  const closed = new AbortController();
  let fileRemoval: Promise<void> = Promise.resolve();
  const removeFilesOfRemovedJobs = async () => {
    const areGone = await removeHostedFiles({ hosted, log }, store.removedFiles(), closed.signal);
    if (areGone) await store.forgetRemovedFiles();
  };
  return {
    get waitingNotifications() {
      return deliverer.waitingCount;
    },
    start() {
      deliverer.start();
      fileRemoval = removeFilesOfRemovedJobs().catch((error: unknown) =>
        log('error', `The files of removed jobs could not be removed: ${String(error)}`),
      );
      retention.start();
    },
    async close() {
      closed.abort();
      await Promise.all([retention.close(), fileRemoval]);
      await deliverer.close();
    },
  };
}

/** Timeout of a webhook request, in milliseconds. */
const notificationTimeoutMs = 10_000;

/** Timeout of the program that sends mail, in milliseconds: it may connect to a mail server. */
const mailTimeoutMs = 60_000;

/** The work that one daemon does for all, once it is to be opened. */
export function createSharedWork(
  { options, records, hooks, log, now }: AppBase,
  {
    onAttempt: observe,
    ...parts
  }: Pick<AppContext, 'queue' | 'hosted'> & { readonly onAttempt: (attempt: NotificationAttempt) => void },
) {
  const { sendmail = null, allowPrivateNetwork } = options;
  const { store, accounts } = records;
  const guard = createSsrfGuard({ allowPrivateNetwork });
  let opened: LeaderWork | null = null;
  const open = () => {
    opened = openLeaderWork({
      ...{ ...parts, store, log, now },
      notifications: {
        onAttempt(attempt) {
          hooks.notificationAttempted(attempt);
          observe(attempt);
        },
        secretOf: (accountId) => accounts.account(accountId)?.notificationSecret ?? null,
        webhookClient: createWebhookClient({ guard, timeoutMs: notificationTimeoutMs }),
        sendMail: sendmail === null ? null : createMailSender(sendmail, mailTimeoutMs),
      },
      limits: { keepDays: options.keepDays ?? null, keepJobs: options.keepJobs ?? null },
    });
    return opened;
  };
  return { open, waitingNotifications: () => opened?.waitingNotifications ?? 0 };
}
