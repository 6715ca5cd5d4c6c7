import type { Route } from './route.js';

const record = ['json', 'xml'] as const;
const progress = { method: 'GET', key: 'read', representations: record, status: 200 } as const;

/** The routes of version 1 of the service, and the unversioned ones before it. */
export const legacyRoutes = {
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
