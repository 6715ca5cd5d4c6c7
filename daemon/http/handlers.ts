import { VencError } from '../../src/shared/errors.js';
import type { RouteName } from '../../src/shared/routes.js';
import { roundToHundredths } from '../../src/shared/text/numbers.js';
import { findInput, findOutput } from '../actions/find-job.js';
import { retentionSecondsOf } from '../jobs/hosted-retention.js';
import { earlyOutputProgress, progressV1 } from '../jobs/legacy-progress.js';
import { inputProgress, outputProgress } from '../jobs/progress.js';
import { fileReply } from './file-reply.js';
import { getMetricsWithKey } from './metrics.js';
import type { PublicRouteHandler, RouteHandler } from './request-context.js';
import { serviceHandlers } from './service.js';
import { eventHandlers } from './v2/events.js';
import { idOf, jobHandlers } from './v2/jobs.js';
import { uploadHandlers } from './v2/uploads.js';
import { workerHandlers } from './worker.js';

/**
 * `GET /hosted/<token>/<file>`: a hosted output, whole or a range; 304 if the client has it already, 410 after its
 * time. Needs no key.
 */
const getHosted: PublicRouteHandler = async (appContext, requestContext) => {
  const { token = '', name = '' } = requestContext.params;
  const file = await appContext.hosted.find({ token, name });
  if (file.state === 'gone') throw goneError(token, file.expiredAt);
  if (file.state === 'unknown')
    throw new VencError('NotFoundError', 'There is no hosted file at this address.');
  return fileReply(requestContext, { ...file, name });
};

function goneError(token: string, expiredAt: Date | null): VencError {
  const hours = retentionSecondsOf(token) / 3600;
  const length =
    hours > 24 && hours % 24 === 0
      ? `${hours / 24} days`
      : `${roundToHundredths(hours)} ${hours === 1 ? 'hour' : 'hours'}`;
  const time =
    expiredAt === null ? '' : ` until ${expiredAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return new VencError('GoneError', `This file was hosted for ${length}${time}, and has been removed.`);
}

/** `GET /v1/inputs/<id>/progress` (section 9). */
const getInputProgressV1: RouteHandler = async (appContext, { params }, account) => {
  const job = await findInput(appContext, account.id, idOf(params));
  return { status: 200, record: progressV1(inputProgress(job, appContext.progressTracker.read(job.id))) };
};

/** `GET /v1/outputs/<id>/progress` (section 9). */
const getOutputProgressV1: RouteHandler = async (appContext, { params }, account) => {
  const { job, output } = await findOutput(appContext, account.id, idOf(params));
  const progress = outputProgress(job, output, appContext.progressTracker.read(job.id));
  return { status: 200, record: progressV1(progress) };
};

/** `GET /outputs/<id>/progress`, the early form (section 4.9). */
const getOutputProgressEarly: RouteHandler = async (appContext, { params }, account) => {
  const { job, output } = await findOutput(appContext, account.id, idOf(params));
  return { status: 200, record: earlyOutputProgress(job, output, appContext.progressTracker.read(job.id)) };
};

/**
 * The handlers of everything older than version 2, by route name: other paths, methods and field names for
 * what version 2 does (sections 4.1, 4.4, 4.5, 4.9 and 9). They only translate.
 */
const legacyHandlers = {
  createJobEarly: jobHandlers.createJob,
  resubmitJobV1: jobHandlers.resubmitJob,
  cancelJobV1: jobHandlers.cancelJob,
  inputProgressV1: getInputProgressV1,
  outputProgressV1: getOutputProgressV1,
  outputProgressEarly: getOutputProgressEarly,
} as const satisfies Partial<Record<RouteName, RouteHandler>>;

/** The handlers of the routes that need no key. */
export const openHandlers = {
  hostedFile: getHosted,
  ...serviceHandlers,
} as const satisfies Partial<Record<RouteName, PublicRouteHandler>>;

/** The handlers of the routes that need the key of an account. */
export const keyedHandlers = {
  ...jobHandlers,
  ...uploadHandlers,
  ...eventHandlers,
  reportMinutes: jobHandlers.reportVod,
  metrics: getMetricsWithKey,
  ...legacyHandlers,
} as const satisfies Partial<Record<RouteName, RouteHandler>>;

/** Whether a route needs no key. */
export function isOpenRoute(name: RouteName): name is keyof typeof openHandlers {
  return Object.hasOwn(openHandlers, name);
}

/** Whether a route needs the key of an account and has a handler. */
export function isKeyedRoute(name: RouteName): name is keyof typeof keyedHandlers {
  return Object.hasOwn(keyedHandlers, name);
}

/** Whether a route needs a worker key. */
export function isWorkerRoute(name: RouteName): name is keyof typeof workerHandlers {
  return Object.hasOwn(workerHandlers, name);
}
