import type { AnswerName } from './records/answers.js';

/** How a record may be asked for: by suffix, by `format` or by `Accept`. */
export type Representation = 'json' | 'xml' | 'jsonp';

/** A query parameter, beside the key and those that choose the representation. */
export interface QueryParameter {
  readonly type: 'integer' | 'string' | 'date';
  readonly note: string;
}

/** One route of the service: everything that is known about it, as data. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Whether any other method but HEAD and OPTIONS does the same (section 4.5). */
  readonly isAnyMethod?: true;
  /** Path below the base address; `:id` is a whole number, `:name` and `:token` are any one segment. */
  readonly path: string;
  readonly summary: string;
  /** Section of the service document, or "addition" for what it does not have. */
  readonly section: string;
  /** `none`: no key; `read`: a read-only key will do; `full`: a full access key. */
  readonly key: 'none' | 'read' | 'full';
  /** None where the answer is no record. */
  readonly representations: readonly Representation[];
  /** Name of the JSONP callback where the client gives none. */
  readonly callback?: string;
  readonly query?: Readonly<Record<string, QueryParameter>>;
  /** What the body holds: a request for a job, or the bytes of a file. */
  readonly takes?: 'job' | 'file';
  /** Status of success. */
  readonly status: 200 | 201 | 204;
  /** What it answers with; nothing where it has no body, or one that is no record. */
  readonly answer?: AnswerName;
  /** Media type of an answer that is no record. */
  readonly content?: string;
}

const record = ['json', 'xml'] as const;
const publicRecord = ['json', 'xml', 'jsonp'] as const;

const dates = {
  from: { type: 'date', note: 'first day, YYYY-MM-DD; 30 days ago where it is left out' },
  to: { type: 'date', note: 'last day, YYYY-MM-DD; yesterday where it is left out' },
  grouping: { type: 'string', note: 'report grouping that the usage is restricted to' },
} as const;
const report = { method: 'GET', key: 'full', representations: record, query: dates, status: 200 } as const;
const ofFile = { method: 'GET', key: 'read', status: 200 } as const;

/** The routes of the service document and our additions. The client builds its addresses from the same table. */
export const routes = {
  createJob: {
    method: 'POST',
    path: '/v2/jobs',
    summary: 'Create a job',
    section: '4.1',
    key: 'full',
    representations: record,
    takes: 'job',
    status: 201,
    answer: 'created',
  },
  listJobs: {
    method: 'GET',
    path: '/v2/jobs',
    summary: 'List jobs, newest first',
    section: '4.3',
    key: 'full',
    representations: record,
    query: {
      page: { type: 'integer', note: 'number of the page, from 1' },
      per_page: { type: 'integer', note: 'jobs on a page, 1 to 50; more than 50 is taken for 50' },
      state: { type: 'string', note: 'only jobs in this state; an addition' },
    },
    status: 200,
    answer: 'jobs',
  },
  jobDetails: {
    method: 'GET',
    path: '/v2/jobs/:id',
    summary: 'Details of a job',
    section: '4.2',
    key: 'full',
    representations: record,
    status: 200,
    answer: 'job',
  },
  jobProgress: {
    method: 'GET',
    path: '/v2/jobs/:id/progress',
    summary: 'Progress of a job, its input and its outputs',
    section: 'addition',
    key: 'full',
    representations: record,
    status: 200,
    answer: 'jobProgress',
  },
  jobEvents: {
    method: 'GET',
    path: '/v2/jobs/:id/events',
    summary: 'Progress of a job as it changes, as server-sent events',
    section: 'addition',
    key: 'full',
    representations: [],
    status: 200,
    content: 'text/event-stream',
  },
  cancelJob: {
    method: 'PUT',
    isAnyMethod: true,
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
  inputDetails: {
    ...ofFile,
    path: '/v2/inputs/:id',
    summary: 'Details of an input',
    section: '4.6',
    representations: publicRecord,
    callback: 'input',
    answer: 'inputDetails',
  },
  inputProgress: {
    ...ofFile,
    path: '/v2/inputs/:id/progress',
    summary: 'Progress of an input',
    section: '4.8',
    representations: publicRecord,
    callback: 'progress',
    answer: 'inputProgress',
  },
  outputDetails: {
    ...ofFile,
    path: '/v2/outputs/:id',
    summary: 'Details of an output',
    section: '4.7',
    representations: publicRecord,
    callback: 'output',
    answer: 'outputDetails',
  },
  outputProgress: {
    ...ofFile,
    path: '/v2/outputs/:id/progress',
    summary: 'Progress of an output',
    section: '4.9',
    representations: publicRecord,
    callback: 'progress',
    answer: 'outputProgress',
  },
  reportAll: {
    ...report,
    path: '/v2/reports/all',
    summary: 'Usage by day, live streaming and files',
    section: '4.10',
    answer: 'reportAll',
  },
  reportLive: {
    ...report,
    path: '/v2/reports/live',
    summary: 'Usage by day, live streaming',
    section: '4.11',
    answer: 'reportLive',
  },
  reportVod: {
    ...report,
    path: '/v2/reports/vod',
    summary: 'Usage by day, files encoded',
    section: 'addition',
    answer: 'reportVod',
  },
  reportMinutes: {
    ...report,
    path: '/v2/reports/minutes',
    summary: 'Usage by day, files encoded, under its old name',
    section: 'addition',
    answer: 'reportVod',
  },
  createJobEarly: {
    method: 'POST',
    path: '/jobs',
    summary: 'Create a job at the unversioned address',
    section: '4.1',
    key: 'full',
    representations: record,
    takes: 'job',
    status: 201,
    answer: 'created',
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
    ...ofFile,
    path: '/v1/inputs/:id/progress',
    summary: 'Progress of an input, version 1',
    section: '9',
    representations: record,
    answer: 'inputProgressV1',
  },
  outputProgressV1: {
    ...ofFile,
    path: '/v1/outputs/:id/progress',
    summary: 'Progress of an output, version 1',
    section: '9',
    representations: record,
    answer: 'outputProgressV1',
  },
  outputProgressEarly: {
    ...ofFile,
    path: '/outputs/:id/progress',
    summary: 'Progress of an output in the early, unversioned form',
    section: '4.9',
    representations: record,
    answer: 'outputProgressEarly',
  },
  upload: {
    method: 'PUT',
    path: '/v2/uploads/:name',
    summary: 'Upload a file to be used as an input',
    section: 'addition',
    key: 'full',
    representations: record,
    takes: 'file',
    status: 201,
    answer: 'uploaded',
  },
  hostedFile: {
    method: 'GET',
    path: '/hosted/:token/:name',
    summary: 'Fetch a hosted output',
    section: '1',
    key: 'none',
    representations: [],
    status: 200,
    content: 'application/octet-stream',
  },
  health: {
    method: 'GET',
    path: '/health',
    summary: 'Whether the daemon can take jobs',
    section: 'addition',
    key: 'none',
    representations: record,
    status: 200,
    answer: 'health',
  },
  version: {
    method: 'GET',
    path: '/version',
    summary: 'Which version this is',
    section: 'addition',
    key: 'none',
    representations: record,
    status: 200,
    answer: 'version',
  },
  openApi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This service as an OpenAPI document',
    section: 'addition',
    key: 'none',
    representations: [],
    status: 200,
    content: 'application/json; charset=utf-8',
  },
  home: {
    method: 'GET',
    path: '/',
    summary: 'A page that says what this is',
    section: 'addition',
    key: 'none',
    representations: [],
    status: 200,
    content: 'text/html; charset=utf-8',
  },
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
