import { followLog, type RequestedLog, readLog, requireReadableLog } from '../../actions/read-log.js';
import { answerWithEvents, eventStreamHeaders, lastEventIdOf } from '../event-stream.js';
import type { RequestContext, RouteHandler } from '../request-context.js';
import { idOf } from './jobs.js';

/** `GET /v2/jobs/<id>/log`, an addition to the service document. */
export const getJobLog: RouteHandler = (appContext, requestContext, account) =>
  lines(appContext, requestContext, account, jobOf(requestContext));

/** `GET /v2/log`, an addition to the service document. */
export const getDaemonLog: RouteHandler = (appContext, requestContext, account) =>
  lines(appContext, requestContext, account, 'daemon');

/**
 * `GET /v2/jobs/<id>/log/events`, an addition to the service document: the lines that there are, and new ones until the
 * job has ended. Continues after `Last-Event-ID`. Answers 204 if no line will follow.
 */
export const getJobLogEvents: RouteHandler = (appContext, requestContext, account, keyId) =>
  events(appContext, requestContext, account, keyId, jobOf(requestContext));

/** `GET /v2/log/events`, an addition to the service document: the same for the log of the daemon, without end. */
export const getDaemonLogEvents: RouteHandler = (appContext, requestContext, account, keyId) =>
  events(appContext, requestContext, account, keyId, 'daemon');

type Args = Parameters<RouteHandler>;

async function lines(
  appContext: Args[0],
  requestContext: RequestContext,
  account: Args[2],
  log: RequestedLog,
): ReturnType<RouteHandler> {
  return { status: 200, record: await readLog(appContext, account, log, parametersOf(requestContext)) };
}

async function events(
  appContext: Args[0],
  requestContext: RequestContext,
  account: Args[2],
  keyId: string,
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

function jobOf({ params }: RequestContext): RequestedLog {
  return { jobId: idOf(params) };
}

function parametersOf(requestContext: RequestContext) {
  return { level: requestContext.query('level'), tail: requestContext.query('tail') };
}
