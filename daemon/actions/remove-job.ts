import { parseFileRefUrl } from '../hosted-files/file-ref.js';
import { hostedFilesOf } from '../jobs/hosted-files.js';
import type { AppContext } from './app-context.js';
import { findJob } from './find-job.js';

/**
 * Removes a final job, its record and its hosted files, for good (an addition to the document). Its usage stays. Rejects with
 * `ConflictError` unless the job is final. What a crash leaves of its files is removed at the next start.
 */
export async function removeJob(appContext: AppContext, accountId: string, id: number): Promise<void> {
  const { store, queue, log } = appContext;
  await findJob(appContext, accountId, id);
  const job = await store.remove(id);
  log('info', `Job ${id} is removed.`);
  // The run of a job that was cancelled a moment ago may still be at its files.
  await queue.stop(id, 'cancelled');
  await removeHostedFiles(appContext, hostedFilesOf(job));
}

/** Removes hosted files. Resolves to whether all are gone now; what cannot be removed is logged. */
export async function removeHostedFiles(
  { hosted, log }: Pick<AppContext, 'hosted' | 'log'>,
  urls: readonly string[],
): Promise<boolean> {
  let isComplete = true;
  for (const url of urls) {
    try {
      const fileRef = parseFileRefUrl(url);
      if (fileRef !== null) await hosted.remove(fileRef);
    } catch (error) {
      isComplete = false;
      log(
        'warn',
        `A hosted file of a removed job could not be removed, and is tried again at the next start: ${error}`,
      );
    }
  }
  return isComplete;
}
