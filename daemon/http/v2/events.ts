import { findJob } from '../../actions/find-job.js';
import { followJob } from '../../actions/follow-job.js';
import { answerWithEvents, eventStreamHeaders, lastEventIdOf } from '../event-stream.js';
import type { RouteHandler } from '../request-context.js';
import { idOf } from './jobs.js';

/**
 * `GET /v2/jobs/<id>/events`, an addition to the service document: the answers of `/progress` as server-sent
 * events, at once and at each change, until the job is final. Answers 204, which stops the reconnecting of an
 * `EventSource`, if the client has the last event of a final job (`Last-Event-ID`). Revoking the key ends the
 * stream.
 */
export const getJobEvents: RouteHandler = async (appContext, requestContext, account, keyId) => {
  const id = idOf(requestContext.params);
  if (requestContext.method === 'HEAD') {
    await findJob(appContext, account.id, id);
    return { status: 200, headers: eventStreamHeaders };
  }
  const feed = await followJob(appContext, account.id, id, lastEventIdOf(requestContext));
  return feed === null ? { status: 204 } : answerWithEvents(feed, appContext, requestContext, keyId);
};
