import type { RouteName } from '../../../src/shared/routes.js';
import { findInput, findOutput } from '../../actions/find-job.js';
import { earlyOutputProgress, progressV1 } from '../../jobs/legacy-progress.js';
import { inputProgress, outputProgress } from '../../jobs/progress.js';
import type { RouteHandler } from '../request-context.js';
import { idOf, postJob, putCancel, putResubmit } from '../v2/jobs.js';

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
export const legacyHandlers = {
  createJobEarly: postJob,
  resubmitJobV1: putResubmit,
  cancelJobV1: putCancel,
  inputProgressV1: getInputProgressV1,
  outputProgressV1: getOutputProgressV1,
  outputProgressEarly: getOutputProgressEarly,
} as const satisfies Partial<Record<RouteName, RouteHandler>>;
