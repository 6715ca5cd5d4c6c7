import { VencError } from '../../src/shared/errors.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { pathTo } from '../../src/shared/settings/kinds/kind.js';
import { isEmailAddress } from '../../src/shared/settings/kinds/text.js';
import type { RequestWarning } from '../../src/shared/settings/setting.js';
import { isFinal } from '../../src/shared/states.js';
import { backoffDelayMs } from '../../src/shared/util/timing.js';
import type { AttemptRecord, Job, Notification, NotificationTarget } from './job.js';
import type { Change } from './legal-changes.js';

/** Maximum number of delivery attempts for a notification (contract, section 10). */
export const maxNotificationAttempts = 20;

/**
 * The targets of the `notifications` of a job or an output, with defaults filled in, without those that are never sent.
 */
export function targetsOf(
  notifications: OutputSettings['notifications'] = [],
): readonly NotificationTarget[] {
  return notifications
    .filter(({ url, event }) => reasonNotSent(url, true) === null && event === undefined)
    .map(({ url, format = 'json', headers = {} }) => ({ url, format, headers }));
}

/** A job or an output without its e-mail notifications, unless the daemon sends mail. */
export function withSentNotifications<T extends Pick<OutputSettings, 'notifications'>>(
  fields: T,
  sendsMail: boolean,
): T {
  const { notifications } = fields;
  if (sendsMail || notifications === undefined) return fields;
  return { ...fields, notifications: notifications.filter(({ url }) => !isEmailAddress(url)) };
}

/** A warning for each notification that is never sent. `path` is the path of the job or output, empty for the job. */
export function notificationWarnings(
  notifications: OutputSettings['notifications'] = [],
  path: string,
  sendsMail: boolean,
): readonly RequestWarning[] {
  return notifications.flatMap(({ url }, index) => {
    const reason = reasonNotSent(url, sendsMail);
    return reason === null ? [] : [{ field: `${pathTo(path, 'notifications')}[${index}]`, message: reason }];
  });
}

/**
 * Addresses that are the same in a header of a mail and for the program that reads it there. Others could name several
 * recipients, a file, a program or a route.
 */
const mailableAddress =
  /^[\w#$&'*+=?^{}~][\w.#$&'*+=?^{}~-]{0,63}@[a-z\d](?:[a-z\d-]*[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]*[a-z\d])?)*$/i;

/** Why nothing is sent to the URL of a notification; null if it is sent. */
function reasonNotSent(url: string, sendsMail: boolean): string | null {
  if (isEmailAddress(url)) {
    if (!sendsMail) return 'is an e-mail address, and this daemon sends no mail';
    return mailableAddress.test(url) ? null : 'is an e-mail address with characters to which no mail is sent';
  }
  // The relay of the hosted service to the machines of its developers.
  return /^https?:\/\/zencoderfetcher(?:[/:?#]|$)/i.test(url)
    ? 'is never sent: zencoderfetcher exists only at the hosted service'
    : null;
}

/**
 * Adds the notifications that a change makes due: those of each output that it ended, in order, then those of the job.
 * Outputs and jobs that had ended before get none. Removes notifications that no longer apply: a resubmit removes those
 * of the job and of the outputs that are encoded again, and keeps those of finished outputs.
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

/** Ends the part of an id that a notification has in common with those that are sent again. */
const resentMark = '_again_';

/**
 * Adds the notifications of an ended job and of its outputs once more, each for one attempt. They have new ids, because
 * receivers and mail programs drop what they have seen. One that is due already is not added twice. Throws
 * `ConflictError` if there are none.
 */
export function withResentNotifications(job: Job, token: string, now: Date): Job {
  const at = now.toISOString();
  const all = [
    ...job.outputs.flatMap(({ id, settings }) =>
      createNotifications(targetsOf(settings.notifications), job, id, at),
    ),
    ...createNotifications(job.notifications, job, null, at),
  ];
  if (all.length === 0)
    throw new VencError('ConflictError', `Job ${job.id} has no notifications that could be sent again.`);
  const { pendingNotifications } = job;
  const resent = all
    .filter(({ id }) => !pendingNotifications.some((one) => one.id.startsWith(`${id}${resentMark}`)))
    .map((one) => ({ ...one, id: `${one.id}${resentMark}${token}`, isResent: true as const }));
  return resent.length === 0 ? job : { ...job, pendingNotifications: [...pendingNotifications, ...resent] };
}

/** Whether the next attempt to deliver a notification is the last one. */
export function isLastAttempt({ attempts, isResent }: Notification): boolean {
  return isResent === true || attempts + 1 >= maxNotificationAttempts;
}

/** A delivery attempt for a notification. */
type AttemptChange = Extract<Change, { readonly notificationId: string }>;

/** The number of attempts that a job remembers. */
const maxAttemptRecords = 20;

/**
 * Returns the job after a delivery attempt for one of its notifications, with the answer. Returns the same object if the
 * notification was removed.
 */
export function withAttempt(job: Job, { type, notificationId, answer }: AttemptChange, now: Date): Job {
  const attempted = job.pendingNotifications.find(({ id }) => id === notificationId);
  if (attempted === undefined) return job;
  const pendingNotifications = job.pendingNotifications.flatMap((notification) => {
    if (notification !== attempted) return [notification];
    return type === 'notification-delivered' ? [] : afterFailedAttempt(notification, now);
  });
  const { outputId, attempts } = attempted;
  const record: AttemptRecord = {
    ...{ notificationId, outputId, ...answer },
    event: eventOf(job, outputId),
    attempt: attempts + 1,
    at: now.toISOString(),
  };
  const notificationAttempts = [...(job.notificationAttempts ?? []), record].slice(-maxAttemptRecords);
  return { ...job, pendingNotifications, notificationAttempts };
}

/** What a notification says: `job` or `output` and the state, such as `output_finished`. */
function eventOf(job: Job, outputId: number | null): string {
  const output = job.outputs.find(({ id }) => id === outputId);
  return output === undefined ? `job_${job.state}` : `output_${output.state.replace(' ', '_')}`;
}

/** The contract sets no maximum delay. */
const notificationBackoff = { firstMs: 2000, maxMs: Number.POSITIVE_INFINITY };

/**
 * Schedules the next attempt. The delay starts at two seconds and doubles. Returns an empty array after the last
 * attempt.
 */
function afterFailedAttempt(notification: Notification, now: Date): readonly Notification[] {
  if (isLastAttempt(notification)) return [];
  const attempts = notification.attempts + 1;
  const dueAt = new Date(now.getTime() + backoffDelayMs(attempts, notificationBackoff)).toISOString();
  return [{ ...notification, attempts, dueAt }];
}

/**
 * When the next attempt is due, in milliseconds since 1970. Never later than its delay from now, whatever the stored
 * time says: the clock may have been set back since. An invalid time is due at once.
 */
export function dueMsOf({ attempts, dueAt }: Notification, now: Date): number {
  const longestMs = attempts === 0 ? 0 : backoffDelayMs(attempts, notificationBackoff);
  return Math.min(Date.parse(dueAt) || 0, now.getTime() + longestMs);
}

function createNotifications(
  targets: readonly NotificationTarget[],
  job: Job,
  outputId: number | null,
  at: string,
): readonly Notification[] {
  // Job ids of every daemon start at 1. The creation time distinguishes jobs of different daemons.
  const createdAtKey = Date.parse(job.createdAt).toString(36);
  return targets.map((target, index) => ({
    id: `msg_${createdAtKey}_${job.id}_${outputId ?? 'job'}_${index}_${job.resubmits}`,
    outputId,
    target,
    attempts: 0,
    dueAt: at,
  }));
}

/** Whether the output, or the job if `outputId` is null, has ended. */
function hasEnded(job: Job, outputId: number | null): boolean {
  const part = outputId === null ? job : job.outputs.find(({ id }) => id === outputId);
  return part !== undefined && isFinal(part.state);
}
