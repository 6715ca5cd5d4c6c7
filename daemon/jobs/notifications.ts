import type { OutputSettings } from '../../src/shared/settings/index.js';
import { isFinal } from '../../src/shared/states.js';
import { backoffDelayMs } from '../../src/shared/util/backoff.js';
import type { Job } from './job.js';
import type { Notification, NotificationTarget } from './notification.js';

/** Attempts at a notice before it is given up (contract, section 10). */
export const maxNotificationAttempts = 20;

/** Who is told, as a request has it (`notifications` of a job or an output), with everything that it left out. */
export function targetsOf(
  notifications: OutputSettings['notifications'] = [],
): readonly NotificationTarget[] {
  return notifications.map(({ url, format = 'json', headers = {} }) => ({ url, format, headers }));
}

/**
 * The job with the notices that a step of it makes due: of each output that came to its end by it, in their order, then of the job.
 * What had come to its end before is not told again. Notices that the step makes untrue are withdrawn: a resubmit takes back those of the
 * job and of the outputs that begin anew, and leaves those of the finished ones.
 */
export function withDueNotifications(before: Job, after: Job, at: string): Job {
  const keptNotifications = before.pendingNotifications.filter(({ outputId }) => hasEnded(after, outputId));
  const outputNotifications = after.outputs
    .filter(({ state }, index) => isFinal(state) && !isFinal(before.outputs[index]?.state ?? state))
    .flatMap(({ id, settings }) => createNotifications(targetsOf(settings.notifications), after, id, at));
  const jobNotifications =
    isFinal(after.state) && !isFinal(before.state)
      ? createNotifications(after.notifications, after, null, at)
      : [];
  const isUnchanged =
    keptNotifications.length === before.pendingNotifications.length &&
    outputNotifications.length + jobNotifications.length === 0;
  return isUnchanged
    ? after
    : { ...after, pendingNotifications: [...keptNotifications, ...outputNotifications, ...jobNotifications] };
}

/** The job after an attempt at one of its notices. The very same job where that notice was withdrawn meanwhile. */
export function withAttempt(job: Job, notificationId: string, isDelivered: boolean, now: Date): Job {
  if (!job.pendingNotifications.some(({ id }) => id === notificationId)) return job;
  const pendingNotifications = job.pendingNotifications.flatMap((notification) => {
    if (notification.id !== notificationId) return [notification];
    return isDelivered ? [] : afterFailedAttempt(notification, now);
  });
  return { ...job, pendingNotifications };
}

/** The contract sets no upper bound for the delay. */
const noticeBackoff = { firstMs: 2000, maxMs: Number.POSITIVE_INFINITY };

/** The notice with its next attempt due after a delay that doubles from two seconds on; none after the last attempt. */
function afterFailedAttempt(notification: Notification, now: Date): readonly Notification[] {
  const attempts = notification.attempts + 1;
  if (attempts >= maxNotificationAttempts) return [];
  const dueAt = new Date(now.getTime() + backoffDelayMs(attempts, noticeBackoff)).toISOString();
  return [{ ...notification, attempts, dueAt }];
}

function createNotifications(
  targets: readonly NotificationTarget[],
  job: Job,
  outputId: number | null,
  at: string,
): readonly Notification[] {
  // The time of the job's making tells apart the jobs of two daemons, whose ids both begin at 1.
  const createdAtKey = Date.parse(job.createdAt).toString(36);
  return targets.map((target, index) => ({
    id: `msg_${createdAtKey}_${job.id}_${outputId ?? 'job'}_${index}_${job.resubmits}`,
    outputId,
    target,
    attempts: 0,
    dueAt: at,
  }));
}

/** Whether the output, or with null the job, has come to its end. */
function hasEnded(job: Job, outputId: number | null): boolean {
  const part = outputId === null ? job : job.outputs.find(({ id }) => id === outputId);
  return part !== undefined && isFinal(part.state);
}
