import { productVersion } from '../../src/shared/version.js';
import type { PublicRouteHandler } from './route-handler.js';

/** `GET /health`: 200 when jobs can be taken, 503 with the reasons when not. */
export const getHealth: PublicRouteHandler = async (appContext) => {
  const healthProblems = await appContext.checkHealth();
  if (healthProblems.length === 0) return { status: 200, record: { status: 'ok' } };
  return {
    status: 503,
    record: { status: 'unavailable', errors: healthProblems },
    headers: { 'Retry-After': '30' },
  };
};

/** `GET /version`. */
export const getVersion: PublicRouteHandler = async () => ({
  status: 200,
  record: { name: 'venc', version: productVersion },
});
