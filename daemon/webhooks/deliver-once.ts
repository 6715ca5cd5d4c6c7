import { isVencError } from '../../src/shared/errors.js';
import type { Log } from '../../src/shared/util/log.js';
import { apply } from '../jobs/changes.js';
import type { Job } from '../jobs/job.js';
import type { Notice } from '../jobs/notification.js';
import { maxNoticeAttempts } from '../jobs/notifications.js';
import { textOf } from '../queue/end-of-run.js';
import { idlePause, untilKept } from '../queue/retry-until-persisted.js';
import type { JobStore } from '../store/job-store.js';
import type { LinedNotice } from './delivery-queue.js';
import type { WebhookClient } from './webhook-client.js';
import { letterFor } from './webhook-request.js';

/** What an attempt at a notice depends on. */
export interface AttemptDesk {
  readonly store: Pick<JobStore, 'get' | 'update'>;
  /** The secret that notices of an account are signed with; null where there is no such account. */
  readonly secretOf: (accountId: string) => string | null;
  readonly poster: WebhookClient;
  readonly now: () => Date;
  readonly log: Log;
}

/**
 * Makes one attempt at a notice, as its job has it now, and keeps what became of it. Resolves to the notice as it is due again; to null
 * where it is done with: delivered, given up, or withdrawn meanwhile. Rejects where the signal was aborted before it was taken, and
 * where the job cannot be read.
 */
export async function attemptNotice(
  desk: AttemptDesk,
  { id, jobId, origin }: LinedNotice,
  signal: AbortSignal,
): Promise<Notice | null> {
  const { store, secretOf, poster, now, log } = desk;
  const job = await store.get(jobId);
  const notice = noticeIn(job, id);
  if (job === null || notice === null) return null;
  const secret = secretOf(job.accountId);
  const trouble =
    secret === null
      ? 'There is no such account any more, whose secret would sign it.'
      : await poster.post(letterFor(job, notice, secret, now()), signal);
  const type = trouble === null ? 'notice-delivered' : 'notice-failed';
  const kept = await keep(desk, jobId, (stored) => apply(stored, { type, noticeId: id }, now()), signal);
  const next = noticeIn(kept, id);
  const what = `notice ${id} of job ${jobId} to ${origin}`;
  const attempts = notice.attempts + 1;
  if (trouble === null) log('info', `Delivered ${what}.`);
  else if (attempts >= maxNoticeAttempts)
    log('error', `Gave up ${what} after attempt ${attempts}: ${trouble}`);
  else {
    const outlook = next === null ? '' : `, the next at ${next.dueAt}`;
    log(
      'warn',
      `Could not deliver ${what} (attempt ${attempts} of ${maxNoticeAttempts}${outlook}): ${trouble}`,
    );
  }
  return next;
}

/**
 * Writes what became of an attempt, however long it takes the store to find room for that. The notice keeps its turn meanwhile, as of no
 * other one could it be kept either. Null where the signal was aborted before.
 */
function keep(
  { store, log }: AttemptDesk,
  jobId: number,
  change: (job: Job) => Job,
  signal: AbortSignal,
): Promise<Job | null> {
  const write = () => store.update(jobId, change);
  // Tried once in any case: what was taken just before the end is not to be sent again at the next start.
  return write().catch((first: unknown) => {
    // Its job was removed meanwhile, and its notices with it.
    if (isVencError(first, 'NotFoundError')) return null;
    return untilKept(write, {
      signal,
      pause: idlePause,
      onFailure: (error) =>
        log('warn', `What became of a notice of job ${jobId} cannot be kept yet: ${textOf(error)}`),
    });
  });
}

function noticeIn(job: Job | null, id: string): Notice | null {
  return job?.notices.find((notice) => notice.id === id) ?? null;
}
