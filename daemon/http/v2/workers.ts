import { listWorkers, setWorkerDraining } from '../../actions/workers.js';
import type { RouteHandler } from '../request-context.js';

/** `GET /v2/workers`, an addition to the service document. */
export const getWorkers: RouteHandler = async (appContext, _, account) => ({
  status: 200,
  record: listWorkers(appContext, account),
});

/** `PUT /v2/workers/<name>/drain`, an addition to the service document. */
export const putDrain: RouteHandler = async (appContext, { params }, account) => {
  await setWorkerDraining(appContext, account, params.name ?? '', true);
  return { status: 204 };
};

/** `PUT /v2/workers/<name>/resume`, an addition to the service document. */
export const putResume: RouteHandler = async (appContext, { params }, account) => {
  await setWorkerDraining(appContext, account, params.name ?? '', false);
  return { status: 204 };
};
