import type { AppContext } from './app-context.js';
import { findJob } from './find-job.js';
import type { JobFeed } from './job-feed.js';

/**
 * Listens to the progress of a job, an addition to the document: its present state comes first, unless `takenId` is the id
 * of that very event. Resolves to null where nothing is to come, because the job is final and its last event is known.
 * Whoever gets a feed sees to it that it is cancelled or taken to its end.
 */
export async function followJob(
  appContext: AppContext,
  accountId: string,
  id: number,
  lastEventId: string | null = null,
): Promise<JobFeed | null> {
  // Whose job it is must be known before anybody else's listening is joined.
  await findJob(appContext, accountId, id);
  const feed = await appContext.events.subscribe(id, () => findJob(appContext, accountId, id), lastEventId);
  return feed.isDone ? null : feed;
}
