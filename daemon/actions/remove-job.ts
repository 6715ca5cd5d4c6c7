import { isVencError } from '../../src/shared/errors.js';
import { isFinal } from '../../src/shared/states.js';
import { parseFileRefUrl } from '../hosted-files/file-ref.js';
import { apply } from '../jobs/changes.js';
import type { Job } from '../jobs/job.js';
import { withLastProgress } from '../jobs/progress.js';
import { hostedFilesOf } from '../jobs/thumbnails.js';
import type { AppContext } from './app-context.js';
import { findJob } from './find-job.js';

/**
 * Removes a final job, its record and its hosted files permanently (an addition to the service document). Its
 * usage is kept. Rejects with `ConflictError` unless the job is final. Files that are left after a crash are
 * removed at the next start.
 */
export async function removeJob(
  appContext: Pick<AppContext, 'store' | 'queue' | 'hosted' | 'log'>,
  accountId: string,
  id: number,
): Promise<void> {
  await findJob(appContext, accountId, id);
  await removeStoredJob(appContext, id);
  appContext.log('info', `Job ${id} is removed.`, { jobId: id });
}

/**
 * Removes a final job of any account. Resolves to the job if all its hosted files are gone, to null if some are left.
 * Rejects as `JobStore.remove` does.
 */
export async function removeStoredJob(
  appContext: Pick<AppContext, 'store' | 'queue' | 'hosted' | 'log'>,
  id: number,
): Promise<Job | null> {
  const job = await removeAfterRun(appContext, id);
  return (await removeHostedFiles(appContext, hostedFilesOf(job))) ? job : null;
}

/**
 * Removes the record once the run of a job that was just cancelled has ended: the record says what the run delivered,
 * so that a start after a crash can remove that.
 */
async function removeAfterRun(
  { store, queue }: Pick<AppContext, 'store' | 'queue'>,
  id: number,
): Promise<Job> {
  const job = await store.get(id);
  const isRemovable = job !== null && isFinal(job.state);
  if (isRemovable) await queue.stop(id, 'cancelled');
  try {
    return await store.remove(id);
  } catch (error) {
    // A job that was resubmitted meanwhile has lost its place in the queue.
    if (isRemovable && isVencError(error, 'ConflictError')) await queue.enqueue(job);
    throw error;
  }
}

/**
 * Removes hosted files with all other files of their tokens, such as the segments of a playlist. Resolves to whether
 * all are gone; failures are logged. Stops when the signal is aborted.
 */
export async function removeHostedFiles(
  { hosted, log }: Pick<AppContext, 'hosted' | 'log'>,
  urls: readonly string[],
  signal?: AbortSignal,
): Promise<boolean> {
  let isComplete = true;
  for (const url of urls) {
    if (signal?.aborted) return false;
    try {
      const fileRef = parseFileRefUrl(url);
      if (fileRef !== null) await hosted.removeAll(fileRef.token);
    } catch (error) {
      isComplete = false;
      log(
        'warn',
        `A hosted file of a removed job could not be removed; the next start tries again: ${error}`,
      );
    }
  }
  return isComplete;
}

/**
 * Cancels a job (section 4.5). Resolves when the cancel is durable. A run of the job is stopped at once;
 * its encoder and its files are gone soon after. Rejects with `ConflictError` unless the job is waiting or
 * processing.
 */
export async function cancelJob(
  appContext: Pick<AppContext, 'store' | 'queue' | 'progressTracker' | 'now' | 'log'>,
  accountId: string,
  id: number,
): Promise<void> {
  await findJob(appContext, accountId, id);
  await appContext.store.update(id, (job) =>
    withLastProgress(
      apply(job, { type: 'cancelled' }, appContext.now()),
      appContext.progressTracker.read(id),
    ),
  );
  appContext.log('info', `Job ${id} is cancelled.`, { jobId: id });
  appContext.queue.stop(id, 'cancelled').catch((error: unknown) => {
    appContext.log('error', `Job ${id}: its run did not stop cleanly: ${String(error)}`, { jobId: id });
  });
}
