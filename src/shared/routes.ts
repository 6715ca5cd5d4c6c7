import { daemonRoutes, jobAccount, log, logQuery } from './daemon-routes.js';
import { type Route, record } from './route.js';
import { workerRoutes } from './worker-routes.js';

const progress = { method: 'GET', key: 'read', representations: record, status: 200 } as const;

/** The routes of version 1 of the service, and the unversioned ones before it. */
const legacyRoutes = {
  createJobEarly: {
    method: 'POST',
    path: '/jobs',
    summary: 'Create a job at the unversioned path',
    section: '4.1',
    key: 'full',
    representations: record,
    requestBody: 'job',
    status: 201,
    response: 'created',
  },
  resubmitJobV1: {
    method: 'POST',
    path: '/jobs/v1/:id/resubmit',
    summary: 'Run a job again, version 1',
    section: '4.4',
    key: 'full',
    representations: record,
    status: 204,
  },
  cancelJobV1: {
    method: 'POST',
    path: '/jobs/v1/:id/cancel',
    summary: 'Cancel a job, version 1',
    section: '4.5',
    key: 'full',
    representations: record,
    status: 204,
  },
  inputProgressV1: {
    ...progress,
    path: '/v1/inputs/:id/progress',
    summary: 'Progress of an input, version 1',
    section: '9',
    response: 'inputProgressV1',
  },
  outputProgressV1: {
    ...progress,
    path: '/v1/outputs/:id/progress',
    summary: 'Progress of an output, version 1',
    section: '9',
    response: 'outputProgressV1',
  },
  outputProgressEarly: {
    ...progress,
    path: '/outputs/:id/progress',
    summary: 'Progress of an output in the early, unversioned form',
    section: '4.9',
    response: 'outputProgressEarly',
  },
} as const satisfies Record<string, Route>;

export type { QueryParameter, Representation, Route } from './route.js';

const publicRecord = ['json', 'xml', 'jsonp'] as const;

const dates = {
  from: { type: 'date', description: 'first day, YYYY-MM-DD; 30 days ago by default' },
  to: { type: 'date', description: 'last day, YYYY-MM-DD; yesterday by default' },
  grouping: { type: 'string', description: 'report grouping that the usage is restricted to' },
} as const;
const report = { method: 'GET', key: 'full', representations: record, query: dates, status: 200 } as const;
const uploadToken = {
  type: 'string',
  description: 'names an upload in parts: 32 to 128 random letters, digits, - and _ that the client chooses',
} as const;
const ofFile = { method: 'GET', key: 'read', status: 200 } as const;

/**
 * The routes of the service document and the additions of this project. The client builds its URLs from the same
 * table.
 */
export const routes = {
  createJob: {
    method: 'POST',
    path: '/v2/jobs',
    summary: 'Create a job',
    section: '4.1',
    key: 'full',
    representations: record,
    requestBody: 'job',
    status: 201,
    response: 'created',
  },
  listJobs: {
    method: 'GET',
    path: '/v2/jobs',
    summary: 'List jobs, newest first',
    section: '4.3',
    key: 'full',
    representations: record,
    query: {
      page: { type: 'integer', description: 'number of the page, from 1' },
      per_page: { type: 'integer', description: 'jobs per page, 1 to 50; larger values count as 50' },
      state: { type: 'string', description: 'only jobs in this state; an addition' },
      q: {
        type: 'string',
        description:
          'only jobs with this text of at most 200 characters, in upper or lower case, in their id, the name or URL of the input, a label, the file name of an output, or the reason of a failure; an addition',
      },
      label: { type: 'string', description: 'only jobs with an output of exactly this label; an addition' },
      account: {
        type: 'string',
        description:
          'only jobs of the account with this name instead of that of the key, or * for all accounts; for keys of the account default; an addition',
      },
    },
    status: 200,
    response: 'jobs',
  },
  jobDetails: {
    method: 'GET',
    path: '/v2/jobs/:id',
    summary: 'Details of a job',
    section: '4.2',
    key: 'full',
    representations: record,
    query: jobAccount,
    status: 200,
    response: 'job',
  },
  removeJob: {
    method: 'DELETE',
    path: '/v2/jobs/:id',
    summary: 'Remove a job that has ended, with its hosted files; usage reports keep it',
    section: 'addition',
    key: 'full',
    representations: record,
    status: 204,
  },
  jobProgress: {
    method: 'GET',
    path: '/v2/jobs/:id/progress',
    summary: 'Progress of a job, its input and its outputs',
    section: 'addition',
    key: 'full',
    representations: record,
    query: jobAccount,
    status: 200,
    response: 'jobProgress',
  },
  jobEvents: {
    method: 'GET',
    path: '/v2/jobs/:id/events',
    summary: 'Progress of a job as it changes, as server-sent events',
    section: 'addition',
    key: 'full',
    representations: [],
    status: 200,
    contentType: 'text/event-stream',
  },
  jobLog: {
    ...log,
    path: '/v2/jobs/:id/log',
    summary: 'The log of a job',
    section: 'addition',
    representations: ['json', 'xml', 'text'],
    query: { ...logQuery, ...jobAccount },
    response: 'log',
  },
  jobLogEvents: {
    ...log,
    path: '/v2/jobs/:id/log/events',
    summary: 'The log of a job as it is written, as server-sent events',
    section: 'addition',
    representations: [],
    query: { ...logQuery, ...jobAccount },
    contentType: 'text/event-stream',
  },
  cancelJob: {
    method: 'PUT',
    acceptsAnyMethod: true,
    path: '/v2/jobs/:id/cancel',
    summary: 'Cancel a job',
    section: '4.5',
    key: 'full',
    representations: record,
    status: 204,
  },
  resubmitJob: {
    method: 'PUT',
    path: '/v2/jobs/:id/resubmit',
    summary: 'Run a job again',
    section: '4.4',
    key: 'full',
    representations: record,
    status: 204,
  },
  prioritizeJob: {
    method: 'PUT',
    path: '/v2/jobs/:id/priority',
    summary: 'Change the place of a waiting job in the queue',
    section: 'addition',
    key: 'full',
    representations: record,
    requestBody: 'priority',
    status: 204,
  },
  pauseJob: {
    method: 'PUT',
    path: '/v2/jobs/:id/pause',
    summary: 'Pause a job: it does not start, or its encoder is stopped and its slot is free',
    section: 'addition',
    key: 'full',
    representations: record,
    requestBody: 'key',
    status: 200,
    response: 'jobPause',
  },
  resumeJob: {
    method: 'PUT',
    path: '/v2/jobs/:id/resume',
    summary: 'End the pause of a job, which goes on in the next free slot',
    section: 'addition',
    key: 'full',
    representations: record,
    requestBody: 'key',
    status: 200,
    response: 'jobPause',
  },
  resendNotifications: {
    method: 'PUT',
    path: '/v2/jobs/:id/notify',
    summary: 'Send the notifications of a job that has ended again, once each',
    section: 'addition',
    key: 'full',
    representations: record,
    status: 204,
  },
  inputDetails: {
    ...ofFile,
    path: '/v2/inputs/:id',
    summary: 'Details of an input',
    section: '4.6',
    representations: publicRecord,
    callback: 'input',
    response: 'inputDetails',
  },
  inputProgress: {
    ...ofFile,
    path: '/v2/inputs/:id/progress',
    summary: 'Progress of an input',
    section: '4.8',
    representations: publicRecord,
    callback: 'progress',
    response: 'inputProgress',
  },
  outputDetails: {
    ...ofFile,
    path: '/v2/outputs/:id',
    summary: 'Details of an output',
    section: '4.7',
    representations: publicRecord,
    callback: 'output',
    response: 'outputDetails',
  },
  outputProgress: {
    ...ofFile,
    path: '/v2/outputs/:id/progress',
    summary: 'Progress of an output',
    section: '4.9',
    representations: publicRecord,
    callback: 'progress',
    response: 'outputProgress',
  },
  reportAll: {
    ...report,
    path: '/v2/reports/all',
    summary: 'Usage by day, live streaming and files',
    section: '4.10',
    response: 'reportAll',
  },
  reportLive: {
    ...report,
    path: '/v2/reports/live',
    summary: 'Usage by day, live streaming',
    section: '4.11',
    response: 'reportLive',
  },
  reportVod: {
    ...report,
    path: '/v2/reports/vod',
    summary: 'Usage by day, files encoded',
    section: 'addition',
    response: 'reportVod',
  },
  reportMinutes: {
    ...report,
    path: '/v2/reports/minutes',
    summary: 'Usage by day, files encoded, under its old name',
    section: 'addition',
    response: 'reportVod',
  },
  ...legacyRoutes,
  upload: {
    method: 'PUT',
    path: '/v2/uploads/:name',
    summary: 'Upload a file to be used as an input, or a part of it',
    section: 'addition',
    key: 'full',
    representations: record,
    query: {
      upload: {
        ...uploadToken,
        description: `${uploadToken.description}; without it the body is the whole file`,
      },
      offset: { type: 'count', description: 'with upload: number of bytes before this part' },
      size: { type: 'count', description: 'with upload: size of the whole file in bytes' },
    },
    requestBody: 'file',
    status: 201,
    response: 'uploaded',
  },
  uploadState: {
    method: 'GET',
    path: '/v2/uploads/:name',
    summary: 'How much of an upload in parts the daemon has received, and its URL once it is complete',
    section: 'addition',
    key: 'full',
    representations: record,
    query: { upload: uploadToken },
    status: 200,
    response: 'uploadState',
  },
  cancelUpload: {
    method: 'DELETE',
    path: '/v2/uploads/:name',
    summary: 'Cancel an upload in parts that is not complete',
    section: 'addition',
    key: 'full',
    representations: record,
    query: { upload: uploadToken },
    status: 204,
  },
  offerInPlace: {
    method: 'POST',
    path: '/v2/offers',
    summary: 'Offer a file of this machine to be read in place; the answer says what proves that it may be',
    section: 'addition',
    key: 'full',
    representations: record,
    requestBody: 'offer',
    status: 201,
    response: 'inPlaceChallenge',
  },
  proveInPlace: {
    method: 'PUT',
    path: '/v2/offers/:token',
    summary: 'Prove that an offered file may be read, to use it as an input',
    section: 'addition',
    key: 'full',
    representations: record,
    requestBody: 'proof',
    status: 200,
    response: 'inPlaceFile',
  },
  hostedFile: {
    method: 'GET',
    path: '/hosted/:token/:name',
    summary: 'Fetch a hosted output',
    section: '1',
    key: 'none',
    representations: [],
    status: 200,
    contentType: 'application/octet-stream',
  },
  ...workerRoutes,
  ...daemonRoutes,
} as const satisfies Record<string, Route>;

/** The name of a route. */
export type RouteName = keyof typeof routes;

/** Fills a route's path: `routePath('jobDetails', { id: 7 })` is `/v2/jobs/7`. Values are percent-encoded. */
export function routePath(name: RouteName, values: Readonly<Record<string, string | number>> = {}): string {
  return routes[name].path.replace(/:(\w+)/g, (_, key: string) => {
    const value = values[key];
    if (value === undefined) throw new TypeError(`route ${name} needs a value for ${key}`);
    return encodeURIComponent(String(value));
  });
}
