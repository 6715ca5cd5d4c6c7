import { isVencError, VencError } from '../shared/errors.js';
import { queueFields } from '../shared/records/answers.js';
import type { QueueRecord } from '../shared/records.js';
import type { Client } from './client.js';
import { coerceRecord } from './coerce.js';
import { explainMissingRoute } from './network-errors.js';

/**
 * Pauses the queue for the account of the key, for a number of seconds or, with null, until it is resumed. `isFrozen`
 * stops running encodes as well. Rejects as `Client.call` does, and with `UsageError` if the service cannot be paused.
 */
export function pauseQueue(
  client: Client,
  { seconds, isFrozen }: { readonly seconds: number | null; readonly isFrozen: boolean },
): Promise<QueueRecord> {
  const body = { ...(seconds === null ? {} : { for: seconds }), ...(isFrozen ? { now: true } : {}) };
  return change(client, 'pauseQueue', body);
}

/** Ends the pause. Resolves to the state after it: the whole daemon may still be paused. Rejects as `pauseQueue` does. */
export function resumeQueue(client: Client): Promise<QueueRecord> {
  return change(client, 'resumeQueue', {});
}

async function change(
  client: Client,
  route: 'pauseQueue' | 'resumeQueue',
  body: object,
): Promise<QueueRecord> {
  try {
    return coerceRecord(queueFields, (await client.call(route, { body })).body);
  } catch (error) {
    if (isVencError(error, 'ForbiddenError')) throw error;
    throw await explainMissingRoute(error, {
      missing: new VencError('UsageError', 'This service has no queue that venc can pause.', {
        cause: error,
        hint: 'only a venc daemon can be paused, and those of earlier versions cannot',
      }),
      fallback: () => client.listJobs({ perPage: 1 }),
    });
  }
}
