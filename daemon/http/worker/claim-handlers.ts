import type { RouteName } from '../../../src/shared/routes.js';
import type { WorkerRouteHandler } from '../request-context.js';
import {
  deleteWorker,
  postChange,
  postClaim,
  postClaimEnd,
  postCredentials,
  postHeartbeat,
  postWorker,
} from './claims.js';
import { deleteClaimFile, getClaimFile, getReceived, putClaimFile } from './files.js';

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
