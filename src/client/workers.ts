import { coerceRecord, fieldsOf } from '../shared/client/coerce.js';
import { isVencError, VencError } from '../shared/errors.js';
import { workerStateFields } from '../shared/records/workers.js';
import type { WorkerRecord } from '../shared/records.js';
import type { Client } from './client.js';
import { explainMissingRoute } from './network-errors.js';

/** The remote workers of a daemon. */
export interface ListedWorkers {
  readonly workers: readonly WorkerRecord[];
  /** The same workers as the daemon sent them. */
  readonly records: readonly unknown[];
  /** The time of the daemon, to which the times of workers belong; null if its response has none. */
  readonly at: Date | null;
}

/**
 * Lists the workers of a daemon. Rejects as `Client.call` does, and with `NotFoundError` if the service has no workers.
 */
export async function requestWorkers(client: Client, signal?: AbortSignal): Promise<ListedWorkers> {
  try {
    const { body, header } = await client.call('workers', { signal });
    const { workers } = fieldsOf(body);
    if (!Array.isArray(workers)) throw noWorkersError();
    const at = new Date(header('date') ?? '');
    return { workers: workers.map(readWorker), records: workers, at: Number.isNaN(at.getTime()) ? null : at };
  } catch (error) {
    throw await explainError(client, error);
  }
}

/**
 * Lets a worker take no further jobs (`drainWorker`), none for now (`pauseWorker`), or
 * some again (`resumeWorker`). Rejects as `requestWorkers`
 * does, and with `NotFoundError` if there is no worker with this name.
 */
export async function changeWorker(
  client: Client,
  route: 'drainWorker' | 'pauseWorker' | 'resumeWorker',
  name: string,
): Promise<void> {
  try {
    await client.call(route, { values: { name } });
  } catch (error) {
    if (!isVencError(error, 'NotFoundError')) throw await explainError(client, error);
    // Rejects if the service has no workers at all.
    await requestWorkers(client);
    throw new VencError('NotFoundError', error.message, {
      cause: error,
      hint: 'venc workers lists the connected workers',
    });
  }
}

function readWorker(value: unknown): WorkerRecord {
  return coerceRecord(workerStateFields, value);
}

/** A worker without values: the fields for `--fields` if there is none. */
export function emptyWorker(): WorkerRecord {
  return readWorker({});
}

function noWorkersError(): VencError {
  return new VencError('NotFoundError', 'This service has no workers that venc can list.', {
    hint: 'only a venc daemon has workers, and those of earlier versions do not',
  });
}

/** Explains an error if the service lacks the routes of workers. Returns others unchanged. */
function explainError(client: Client, error: unknown): Promise<unknown> {
  return explainMissingRoute(error, {
    missing: noWorkersError(),
    forbiddenHint: 'use a full access key of the account default',
    fallback: () => client.listJobs({ perPage: 1 }),
  });
}
