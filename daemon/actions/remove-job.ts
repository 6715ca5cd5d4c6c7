import { parseFileRefUrl } from '../hosted-files/file-ref.js';
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
  const { store, queue, log } = appContext;
  await findJob(appContext, accountId, id);
  const job = await store.remove(id);
  log('info', `Job ${id} is removed.`, { jobId: id });
  // The run of a job that was just cancelled may still use its files.
  await queue.stop(id, 'cancelled');
  await removeHostedFiles(appContext, hostedFilesOf(job));
}

/**
 * Removes hosted files with all other files of their tokens, such as the segments of a playlist. Resolves to whether all are gone; failures
 * are logged.
 */
export async function removeHostedFiles(
  { hosted, log }: Pick<AppContext, 'hosted' | 'log'>,
  urls: readonly string[],
): Promise<boolean> {
  let isComplete = true;
  for (const url of urls) {
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
