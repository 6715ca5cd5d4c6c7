import { productVersion } from '../../src/shared/version.js';
import type { OpenHandler } from './handler.js';

/** `GET /health`: 200 when jobs can be taken, 503 with the reasons when not. */
export const getHealth: OpenHandler = async (workshop) => {
  const troubles = await workshop.troubles();
  if (troubles.length === 0) return { status: 200, record: { status: 'ok' } };
  return {
    status: 503,
    record: { status: 'unavailable', errors: troubles },
    headers: { 'Retry-After': '30' },
  };
};

/** `GET /version`. */
export const getVersion: OpenHandler = async () => ({
  status: 200,
  record: { name: 'venc', version: productVersion },
});
