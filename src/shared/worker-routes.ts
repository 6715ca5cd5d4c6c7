import type { Route } from './route.js';

/** The routes of workers. Only a worker key opens them. */
export const workerRoutes = {
  workerInfo: {
    method: 'GET',
    path: '/worker/v1',
    summary: 'The versions of the worker protocol that the daemon speaks, its own version and its time',
    section: 'addition',
    key: 'worker',
    representations: ['json'],
    status: 200,
    response: 'workerInfo',
  },
} as const satisfies Record<string, Route>;
