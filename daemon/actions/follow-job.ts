import type { AppContext } from './app-context.js';
import type { Feed } from './event-hub.js';
import { findJob } from './find-job.js';
import type { JobProgressEvent } from './job-events.js';

/**
 * Subscribes to the progress of a job, an addition to the service document. The first event is the current
 * state, unless `lastEventId` is the id of that event. Resolves to null if no event will follow, because the
 * job is final and the client has its last event. The caller must cancel the feed or read it to its end.
 */
export async function followJob(
  appContext: Pick<AppContext, 'store' | 'events'>,
  accountId: string,
  id: number,
  lastEventId: string | null = null,
): Promise<Feed<JobProgressEvent> | null> {
  // Checks the owner before it joins the subscription of another client.
  await findJob(appContext, accountId, id);
  const feed = await appContext.events.subscribe(id, () => findJob(appContext, accountId, id), lastEventId);
  return feed.isDone ? null : feed;
}
