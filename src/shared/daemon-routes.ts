import type { Route } from './route.js';

const record = ['json', 'xml'] as const;

/** What the routes of logs have in common. */
export const log = { method: 'GET', key: 'full', status: 200 } as const;

/** The query parameters of logs. */
export const logQuery = {
  level: {
    type: 'string',
    description: 'lines of this level and more severe ones: info (default), warn or error',
  },
  tail: { type: 'integer', description: 'only the last lines, this many' },
} as const;

/** The routes about the daemon itself: its log, workers, settings, state and description. */
export const daemonRoutes = {
  daemonLog: {
    ...log,
    path: '/v2/log',
    summary: 'The log of the daemon, for keys of the account default',
    section: 'addition',
    representations: ['json', 'xml', 'text'],
    query: logQuery,
    response: 'log',
  },
  daemonLogEvents: {
    ...log,
    path: '/v2/log/events',
    summary: 'The log of the daemon as it is written, as server-sent events, for keys of the account default',
    section: 'addition',
    representations: [],
    query: logQuery,
    contentType: 'text/event-stream',
  },
  workers: {
    method: 'GET',
    path: '/v2/workers',
    summary: 'The remote workers that have joined, for keys of the account default',
    section: 'addition',
    key: 'full',
    representations: record,
    status: 200,
    response: 'workers',
  },
  drainWorker: {
    method: 'PUT',
    path: '/v2/workers/:name/drain',
    summary:
      'Let a worker take no further jobs and end after those that it runs, for keys of the account default',
    section: 'addition',
    key: 'full',
    representations: record,
    status: 204,
  },
  resumeWorker: {
    method: 'PUT',
    path: '/v2/workers/:name/resume',
    summary: 'Let a drained worker take jobs again, for keys of the account default',
    section: 'addition',
    key: 'full',
    representations: record,
    status: 204,
  },
  settings: {
    method: 'GET',
    path: '/v2/settings',
    summary: 'Every setting of a job and of its outputs, and how this version handles it',
    section: 'addition',
    key: 'none',
    representations: record,
    status: 200,
    response: 'settings',
  },
  health: {
    method: 'GET',
    path: '/health',
    summary: 'Whether the daemon accepts jobs',
    section: 'addition',
    key: 'none',
    representations: record,
    status: 200,
    response: 'health',
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics of the daemon in the Prometheus text format',
    section: 'addition',
    key: 'owner',
    representations: [],
    status: 200,
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
  },
  version: {
    method: 'GET',
    path: '/version',
    summary: 'The version of the daemon',
    section: 'addition',
    key: 'none',
    representations: record,
    status: 200,
    response: 'version',
  },
  openApi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This service as an OpenAPI document',
    section: 'addition',
    key: 'none',
    representations: [],
    status: 200,
    contentType: 'application/json; charset=utf-8',
  },
  home: {
    method: 'GET',
    path: '/',
    summary: 'A page that describes the service',
    section: 'addition',
    key: 'none',
    representations: [],
    status: 200,
    contentType: 'text/html; charset=utf-8',
  },
} as const satisfies Record<string, Route>;
