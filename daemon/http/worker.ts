import type { RecordOf } from '../../src/shared/records/field.js';
import type { workerInfoFields } from '../../src/shared/records/worker.js';
import { productVersion } from '../../src/shared/version.js';
import { workerProtocol } from '../../src/shared/worker-api.js';
import type { WorkerRouteHandler } from './request-context.js';

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
