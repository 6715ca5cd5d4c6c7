import type { RouteName } from '../../src/shared/routes.js';
import { getHosted } from './hosted.js';
import { legacyHandlers } from './legacy/legacy-handlers.js';
import { getMetricsWithKey } from './metrics.js';
import type { PublicRouteHandler, RouteHandler, WorkerRouteHandler } from './request-context.js';
import { getHealth, getHome, getOpenApi, getSettings, getVersion } from './service.js';
import { getJobEvents } from './v2/events.js';
import {
  deleteJob,
  getInput,
  getInputProgress,
  getJob,
  getJobProgress,
  getJobs,
  getOutput,
  getOutputProgress,
  postJob,
  putCancel,
  putResubmit,
} from './v2/jobs.js';
import { getDaemonLog, getDaemonLogEvents, getJobLog, getJobLogEvents } from './v2/logs.js';
import { getLiveReport, getReport, getVodReport } from './v2/reports.js';
import { putUpload } from './v2/uploads.js';
import { getWorkers, putDrain, putResume } from './v2/workers.js';
import { claimHandlers } from './worker/claim-handlers.js';
import { getWorkerInfo } from './worker.js';

/** The handlers of the routes that need no key. */
export const openHandlers = {
  hostedFile: getHosted,
  health: getHealth,
  version: getVersion,
  home: getHome,
  openApi: getOpenApi,
  settings: getSettings,
} as const satisfies Partial<Record<RouteName, PublicRouteHandler>>;

/** The handlers of the routes that need the key of an account. */
export const keyedHandlers = {
  createJob: postJob,
  listJobs: getJobs,
  jobDetails: getJob,
  removeJob: deleteJob,
  jobProgress: getJobProgress,
  jobEvents: getJobEvents,
  jobLog: getJobLog,
  jobLogEvents: getJobLogEvents,
  cancelJob: putCancel,
  resubmitJob: putResubmit,
  inputDetails: getInput,
  inputProgress: getInputProgress,
  outputDetails: getOutput,
  outputProgress: getOutputProgress,
  reportAll: getReport,
  reportLive: getLiveReport,
  reportVod: getVodReport,
  reportMinutes: getVodReport,
  daemonLog: getDaemonLog,
  daemonLogEvents: getDaemonLogEvents,
  workers: getWorkers,
  drainWorker: putDrain,
  resumeWorker: putResume,
  upload: putUpload,
  metrics: getMetricsWithKey,
  ...legacyHandlers,
} as const satisfies Partial<Record<RouteName, RouteHandler>>;

/** The handlers of the routes that need a worker key. */
export const workerHandlers = {
  workerInfo: getWorkerInfo,
  ...claimHandlers,
} as const satisfies Partial<Record<RouteName, WorkerRouteHandler>>;

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
