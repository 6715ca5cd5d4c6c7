import type { RouteName } from '../../../src/shared/routes.js';
import { findJob, followJob } from '../../actions/find-job.js';
import { followJobs, readFollowRequest } from '../../actions/follow-jobs.js';
import { followLog, type RequestedLog, requireReadableLog } from '../../actions/read-log.js';
import { answerWithEvents, eventStreamHeaders, lastEventIdOf } from '../event-stream.js';
import type { RequestContext, RouteHandler } from '../request-context.js';
import { idOf, jobOf, parametersOf } from './jobs.js';

/** The handlers of event streams, by route name. */
export const eventHandlers = {
  /**
   * `GET /v2/jobs/<id>/events`, an addition to the service document: the answers of `/progress` as server-sent
   * events, at once and at each change, until the job is final. Answers 204, which stops the reconnecting of an
   * `EventSource`, if the client has the last event of a final job (`Last-Event-ID`). Revoking the key ends the
   * stream.
   */
  jobEvents: async (appContext, requestContext, account, keyId) => {
    const id = idOf(requestContext.params);
    if (requestContext.method === 'HEAD') {
      await findJob(appContext, account.id, id);
      return { status: 200, headers: eventStreamHeaders };
    }
    const feed = await followJob(appContext, account.id, id, lastEventIdOf(requestContext));
    return feed === null ? { status: 204 } : answerWithEvents(feed, appContext, requestContext, keyId);
  },

  /**
   * `GET /v2/jobs/<id>/log/events`, an addition to the service document: the lines that there are, and new ones until the
   * job has ended. Continues after `Last-Event-ID`. Answers 204 if no line will follow.
   */
  jobLogEvents: (appContext, requestContext, account, keyId) =>
    logEvents(appContext, requestContext, account, keyId, jobOf(requestContext)),

  /** `GET /v2/log/events`, an addition to the service document: the same for the log of the daemon, without end. */
  daemonLogEvents: (appContext, requestContext, account, keyId) =>
    logEvents(appContext, requestContext, account, keyId, 'daemon'),

  /**
   * `GET /v2/events`, an addition to the service document: what changes of the jobs of the account. Continues after
   * `Last-Event-ID`. Revoking the key ends the stream.
   */
  events: async (appContext, requestContext, account, keyId) => {
    const [byAccount, only, log] = ['account', 'only', 'log'].map((name) => requestContext.query(name));
    const parameters = { account: byAccount ?? null, only: only ?? null, log: log ?? null };
    if (requestContext.method === 'HEAD') {
      await readFollowRequest(appContext, account, parameters);
      return { status: 200, headers: eventStreamHeaders };
    }
    const lastEventId = lastEventIdOf(requestContext);
    const feed = await followJobs(appContext, account, { ...parameters, lastEventId });
    return answerWithEvents(feed, appContext, requestContext, keyId);
  },
} as const satisfies Partial<Record<RouteName, RouteHandler>>;

type Args = Parameters<RouteHandler>;

async function logEvents(
  appContext: Args[0],
  requestContext: RequestContext,
  account: Args[2],
  keyId: string | null,
  log: RequestedLog,
): ReturnType<RouteHandler> {
  const parameters = parametersOf(requestContext);
  if (requestContext.method === 'HEAD') {
    await requireReadableLog(appContext, account, log, parameters);
    return { status: 200, headers: eventStreamHeaders };
  }
  const lastEventId = lastEventIdOf(requestContext);
  const feed = await followLog(appContext, account, log, { ...parameters, lastEventId });
  return feed === null ? { status: 204 } : answerWithEvents(feed, appContext, requestContext, keyId);
}
