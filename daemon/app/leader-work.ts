import type { AppContext } from '../actions/app-context.js';
import { JobRetention, type RetentionLimits } from '../actions/job-retention.js';
import { removeHostedFiles } from '../actions/remove-job.js';
import {
  createNotificationDeliverer,
  type NotificationDelivererOptions,
} from '../webhooks/notification-deliverer.js';
import type { SharedWork } from './records/records.js';

/** What the leader works with. */
interface LeaderWorkParts extends Pick<AppContext, 'store' | 'queue' | 'hosted' | 'log' | 'now'> {
  readonly notifications: Omit<NotificationDelivererOptions, 'store' | 'log' | 'now'>;
  readonly limits: RetentionLimits;
}

/** The work that one daemon does for all. */
export interface LeaderWork extends SharedWork {
  /** The number of notifications that are not delivered yet. */
  readonly waitingNotifications: number;
}

/**
 * Opens the work that one daemon does for all: it delivers notifications, and removes old jobs and the files of removed
 * ones.
 */
export function openLeaderWork({ notifications, limits, ...parts }: LeaderWorkParts): LeaderWork {
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
