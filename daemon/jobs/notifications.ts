import type { OutputSettings } from '../../src/shared/settings/index.js';
import { isFinal } from '../../src/shared/states.js';
import { backoffDelayMs } from '../../src/shared/util/backoff.js';
import type { Job } from './job.js';
import type { Notice, NotificationTarget } from './notification.js';

/** Attempts at a notice before it is given up (contract, section 10). */
export const maxNoticeAttempts = 20;

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
export function withDueNotices(before: Job, after: Job, at: string): Job {
  const kept = before.notices.filter(({ outputId }) => hasEnded(after, outputId));
  const ofOutputs = after.outputs
    .filter(({ state }, index) => isFinal(state) && !isFinal(before.outputs[index]?.state ?? state))
    .flatMap(({ id, settings }) => noticesTo(targetsOf(settings.notifications), after, id, at));
  const ofJob =
    isFinal(after.state) && !isFinal(before.state) ? noticesTo(after.notifications, after, null, at) : [];
  const isAsBefore = kept.length === before.notices.length && ofOutputs.length + ofJob.length === 0;
  return isAsBefore ? after : { ...after, notices: [...kept, ...ofOutputs, ...ofJob] };
}

/** The job after an attempt at one of its notices. The very same job where that notice was withdrawn meanwhile. */
export function withAttempt(job: Job, noticeId: string, isDelivered: boolean, now: Date): Job {
  if (!job.notices.some(({ id }) => id === noticeId)) return job;
  const notices = job.notices.flatMap((notice) => {
    if (notice.id !== noticeId) return [notice];
    return isDelivered ? [] : failedNotice(notice, now);
  });
  return { ...job, notices };
}

/** The contract sets no upper bound for the delay. */
const noticeBackoff = { firstMs: 2000, maxMs: Number.POSITIVE_INFINITY };

/** The notice with its next attempt due after a delay that doubles from two seconds on; none after the last attempt. */
function failedNotice(notice: Notice, now: Date): readonly Notice[] {
  const attempts = notice.attempts + 1;
  if (attempts >= maxNoticeAttempts) return [];
  const dueAt = new Date(now.getTime() + backoffDelayMs(attempts, noticeBackoff)).toISOString();
  return [{ ...notice, attempts, dueAt }];
}

function noticesTo(
  targets: readonly NotificationTarget[],
  job: Job,
  outputId: number | null,
  at: string,
): readonly Notice[] {
  // The time of the job's making tells apart the jobs of two daemons, whose ids both begin at 1.
  const made = Date.parse(job.createdAt).toString(36);
  return targets.map((target, index) => ({
    id: `msg_${made}_${job.id}_${outputId ?? 'job'}_${index}_${job.resubmits}`,
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
