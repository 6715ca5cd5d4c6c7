import type { Route } from './route.js';

const base = { section: 'addition', key: 'worker', representations: ['json'] } as const;
const post = { ...base, method: 'POST', status: 200 } as const;
const claim = '/worker/v1/claims/:id';
const url = { type: 'string', description: 'URL of the file, as the job has it' } as const;

/** The routes with which workers join, claim jobs and run them. Only a worker key opens them. */
export const workerRoutes = {
  workerInfo: {
    ...base,
    method: 'GET',
    path: '/worker/v1',
    summary: 'The versions of the worker protocol that the daemon speaks, its own version and its time',
    status: 200,
    response: 'workerInfo',
  },
  joinWorker: {
    ...post,
    path: '/worker/v1/workers',
    summary: 'Join as a worker',
    requestBody: 'workerJoin',
    response: 'workerJoined',
  },
  leaveWorker: {
    ...base,
    method: 'DELETE',
    path: '/worker/v1/workers/:token',
    summary: 'Leave as a worker',
    status: 204,
  },
  claimJob: {
    ...post,
    path: '/worker/v1/claims',
    summary: 'Wait for a job and claim it',
    requestBody: 'workerClaim',
    response: 'workerClaimed',
  },
  reportHeartbeat: {
    ...post,
    path: `${claim}/heartbeat`,
    summary: 'Report that the run of a claim goes on, with its progress',
    requestBody: 'workerHeartbeat',
    response: 'workerHeartbeat',
  },
  changeClaimedJob: {
    ...post,
    path: `${claim}/changes`,
    summary: 'Change the job of a claim',
    requestBody: 'workerChange',
    response: 'workerChanged',
  },
  endClaim: {
    ...base,
    method: 'POST',
    path: `${claim}/end`,
    summary: 'End a claim: nothing of the job is left on the worker',
    status: 204,
  },
  claimCredentials: {
    ...post,
    path: `${claim}/credentials`,
    summary: 'The saved credentials for a URL of the job',
    requestBody: 'workerCredentials',
    response: 'workerCredential',
  },
  readClaimFile: {
    ...base,
    method: 'GET',
    path: `${claim}/file`,
    summary: 'A file of the job that only the daemon can read, or a range of it',
    representations: [],
    query: { url },
    status: 200,
    contentType: 'application/octet-stream',
  },
  writeClaimFile: {
    ...base,
    method: 'PUT',
    path: `${claim}/file`,
    summary: 'Send a part of a file that only the daemon can deliver; the last part delivers it',
    query: {
      url,
      offset: { type: 'count', description: 'number of bytes before this part' },
      size: { type: 'count', description: 'size of the whole file in bytes' },
    },
    requestBody: 'file',
    status: 200,
    response: 'workerStored',
  },
  removeClaimFile: {
    ...base,
    method: 'DELETE',
    path: `${claim}/file`,
    summary: 'Remove what the daemon has received of a file, or the delivered file',
    query: { url },
    status: 204,
  },
  claimFileReceived: {
    ...base,
    method: 'GET',
    path: `${claim}/received`,
    summary: 'How much of a file the daemon has received',
    query: { url },
    status: 200,
    response: 'workerReceived',
  },
} as const satisfies Record<string, Route>;
