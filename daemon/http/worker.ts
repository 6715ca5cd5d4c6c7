import type { RecordOf } from '../../src/shared/records/field.js';
import type { workerInfoFields } from '../../src/shared/records/worker.js';
import type { RouteName } from '../../src/shared/routes.js';
import { productVersion } from '../../src/shared/version.js';
import { workerProtocol } from '../../src/shared/worker-api.js';
import type { WorkerRouteHandler } from './request-context.js';
import {
  deleteWorker,
  postChange,
  postClaim,
  postClaimEnd,
  postCredentials,
  postHeartbeat,
  postWorker,
} from './worker/claims.js';
import { deleteClaimFile, getClaimFile, getReceived, putClaimFile } from './worker/files.js';

/** `GET /worker/v1`: what a worker compares with its own version and clock. */
export const getWorkerInfo: WorkerRouteHandler = async ({ now }) => {
  const record: RecordOf<typeof workerInfoFields> = {
    protocol: workerProtocol.current,
    min_protocol: workerProtocol.oldest,
    version: productVersion,
    time: now().toISOString(),
  };
  return { status: 200, record, headers: { 'Cache-Control': 'no-store' } };
};

/** The handlers of the routes with which workers claim jobs and run them. */
export const claimHandlers = {
  joinWorker: postWorker,
  leaveWorker: deleteWorker,
  claimJob: postClaim,
  reportHeartbeat: postHeartbeat,
  changeClaimedJob: postChange,
  endClaim: postClaimEnd,
  claimCredentials: postCredentials,
  readClaimFile: getClaimFile,
  writeClaimFile: putClaimFile,
  removeClaimFile: deleteClaimFile,
  claimFileReceived: getReceived,
} as const satisfies Partial<Record<RouteName, WorkerRouteHandler>>;
