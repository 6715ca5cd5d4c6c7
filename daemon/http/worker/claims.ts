import {
  changeByWorker,
  claimForWorker,
  findWorkerCredentials,
  joinWorker,
  type NamedClaim,
  receiveHeartbeat,
} from '../../actions/serve-worker.js';
import { workerTiming } from '../../jobs/worker-protocol.js';
import { readBody } from '../body.js';
import type { RequestContext, WorkerRouteHandler } from '../request-context.js';

/** Maximum size of a change in bytes: it lists the thumbnails of an output. */
const maxChangeBytes = 16 * 1024 * 1024;

/** The claim that a request is about: the id of its job is in the path, its token in the header `Venc-Claim`. */
export function claimOf({ params, incoming }: Pick<RequestContext, 'params' | 'incoming'>): NamedClaim {
  return { jobId: Number(params.id), token: String(incoming.headers['venc-claim'] ?? '') };
}

/** `POST /worker/v1/workers`: a worker joins. */
export const postWorker: WorkerRouteHandler = async (appContext, requestContext, { keyId }) => ({
  status: 200,
  record: await joinWorker(appContext, await requestContext.body(), keyId),
});

/** `DELETE /worker/v1/workers/<id>`: a worker leaves. */
export const deleteWorker: WorkerRouteHandler = async ({ remoteClaims }, { params }) => {
  await remoteClaims.leave(params.token ?? '');
  return { status: 204 };
};

/** `POST /worker/v1/claims`: waits for a job; 204 if there is none for a while. */
export const postClaim: WorkerRouteHandler = async (appContext, requestContext, { keyId }) => {
  const { signal } = requestContext;
  const body = await requestContext.body();
  const wait = { signal, timeoutMs: workerTiming.poll * 1000, keyId };
  const outcome = await claimForWorker(appContext, body, wait);
  if (outcome.claim !== null) return { status: 200, record: outcome.claim };
  return { status: 204, headers: { 'Venc-Drain': String(outcome.isDraining) } };
};

/** `POST /worker/v1/claims/<id>/heartbeat`: the worker still runs the job. */
export const postHeartbeat: WorkerRouteHandler = async (appContext, requestContext, { keyId }) => ({
  status: 200,
  record: await receiveHeartbeat(appContext, claimOf(requestContext), await requestContext.body(), keyId),
});

/** `POST /worker/v1/claims/<id>/changes`: the worker changes the job. */
export const postChange: WorkerRouteHandler = async (appContext, requestContext) => {
  const body = await readBody(requestContext.incoming, maxChangeBytes);
  return { status: 200, record: { job: await changeByWorker(appContext, claimOf(requestContext), body) } };
};

/** `POST /worker/v1/claims/<id>/end`: the worker has stopped. */
export const postClaimEnd: WorkerRouteHandler = async ({ remoteClaims }, requestContext) => {
  const { jobId, token } = claimOf(requestContext);
  await remoteClaims.end(jobId, token);
  return { status: 204 };
};

/** `POST /worker/v1/claims/<id>/credentials`: saved credentials for a URL of the job; 204 if there are none. */
export const postCredentials: WorkerRouteHandler = async (appContext, requestContext) => {
  const found = await findWorkerCredentials(appContext, claimOf(requestContext), await requestContext.body());
  return found === null ? { status: 204 } : { status: 200, record: found };
};
