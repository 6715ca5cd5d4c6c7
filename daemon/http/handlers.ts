import type { RouteName } from '../../src/shared/routes.js';
import { getHealth, getVersion } from './health.js';
import { getHome } from './home.js';
import { getHosted } from './hosted.js';
import { legacyHandlers } from './legacy/handlers.js';
import { getOpenApi } from './openapi/get-open-api.js';
import type { PublicRouteHandler, RouteHandler } from './route-handler.js';
import { getJobEvents } from './v2/events.js';
import { getInput, getInputProgress, getOutput, getOutputProgress } from './v2/files.js';
import { deleteJob, getJob, getJobProgress, getJobs, postJob, putCancel, putResubmit } from './v2/jobs.js';
import { getLiveReport, getReport, getVodReport } from './v2/reports.js';
import { putUpload } from './v2/uploads.js';

/** What answers each route that needs no key. */
export const openHandlers = {
  hostedFile: getHosted,
  health: getHealth,
  version: getVersion,
  home: getHome,
  openApi: getOpenApi,
} as const satisfies Partial<Record<RouteName, PublicRouteHandler>>;

/** What answers each route that needs a key. */
export const keyedHandlers = {
  createJob: postJob,
  listJobs: getJobs,
  jobDetails: getJob,
  removeJob: deleteJob,
  jobProgress: getJobProgress,
  jobEvents: getJobEvents,
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
  upload: putUpload,
  ...legacyHandlers,
} as const satisfies Partial<Record<RouteName, RouteHandler>>;

/** Whether a route is answered without a key. */
export function isOpenRoute(name: RouteName): name is keyof typeof openHandlers {
  return Object.hasOwn(openHandlers, name);
}

/** Whether a route is answered at all. */
export function isKeyedRoute(name: RouteName): name is keyof typeof keyedHandlers {
  return Object.hasOwn(keyedHandlers, name);
}
