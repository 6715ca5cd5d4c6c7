/** How a record may be asked for: by suffix, by `Accept` or by `format`. */
export type Representation = 'json' | 'xml' | 'jsonp';

/** One route of the service: everything that is known about it, as data. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path below the base address; `:id` is a whole number, `:name` and `:token` are any one segment. */
  readonly path: string;
  readonly summary: string;
  /** Section of the service document, or "addition" for what it does not have. */
  readonly section: string;
  /** `none`: no key; `read`: a read-only key will do; `full`: a full access key. */
  readonly key: 'none' | 'read' | 'full';
  readonly representations: readonly Representation[];
}

/** The routes that this version answers. The client builds its addresses from the same table. */
export const routes = {
  createJob: {
    method: 'POST',
    path: '/v2/jobs',
    summary: 'Create a job',
    section: '4.1',
    key: 'full',
    representations: ['json'],
  },
  listJobs: {
    method: 'GET',
    path: '/v2/jobs',
    summary: 'List jobs, newest first',
    section: '4.3',
    key: 'full',
    representations: ['json'],
  },
  jobDetails: {
    method: 'GET',
    path: '/v2/jobs/:id',
    summary: 'Details of a job',
    section: '4.2',
    key: 'full',
    representations: ['json'],
  },
  jobProgress: {
    method: 'GET',
    path: '/v2/jobs/:id/progress',
    summary: 'Progress of a job, its input and its outputs',
    section: 'addition',
    key: 'full',
    representations: ['json'],
  },
  cancelJob: {
    method: 'PUT',
    path: '/v2/jobs/:id/cancel',
    summary: 'Cancel a job',
    section: '4.5',
    key: 'full',
    representations: ['json'],
  },
  resubmitJob: {
    method: 'PUT',
    path: '/v2/jobs/:id/resubmit',
    summary: 'Run a job again',
    section: '4.4',
    key: 'full',
    representations: ['json'],
  },
  inputDetails: {
    method: 'GET',
    path: '/v2/inputs/:id',
    summary: 'Details of an input',
    section: '4.6',
    key: 'read',
    representations: ['json'],
  },
  inputProgress: {
    method: 'GET',
    path: '/v2/inputs/:id/progress',
    summary: 'Progress of an input',
    section: '4.8',
    key: 'read',
    representations: ['json'],
  },
  outputDetails: {
    method: 'GET',
    path: '/v2/outputs/:id',
    summary: 'Details of an output',
    section: '4.7',
    key: 'read',
    representations: ['json'],
  },
  outputProgress: {
    method: 'GET',
    path: '/v2/outputs/:id/progress',
    summary: 'Progress of an output',
    section: '4.9',
    key: 'read',
    representations: ['json'],
  },
  upload: {
    method: 'PUT',
    path: '/v2/uploads/:name',
    summary: 'Upload a file to be used as an input',
    section: 'addition',
    key: 'full',
    representations: ['json'],
  },
  hostedFile: {
    method: 'GET',
    path: '/hosted/:token/:name',
    summary: 'Fetch a hosted output',
    section: '1',
    key: 'none',
    representations: [],
  },
  health: {
    method: 'GET',
    path: '/health',
    summary: 'Whether the daemon can take jobs',
    section: 'addition',
    key: 'none',
    representations: ['json'],
  },
  version: {
    method: 'GET',
    path: '/version',
    summary: 'Which version this is',
    section: 'addition',
    key: 'none',
    representations: ['json'],
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
