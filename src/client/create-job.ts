import { isVencError, VencError } from '../shared/errors.js';
import type { Asked } from './call.js';
import type { Client } from './client.js';
import { pause } from './pause.js';
import { fieldsOf } from './read-values.js';
import { waitAfter } from './retries.js';

/** Waits before the second and the third try, unless the service asks for a time of its own. */
const retryDelaysMs = [500, 2000] as const;

/**
 * Creates a job (section 4.1). It is tried again only with an idempotency key, and only at a service that is known to honour it: anywhere
 * else a request whose answer was lost may have made its job already. Rejects as `Client.ask` does.
 */
export async function createJob(
  client: Client,
  request: unknown,
  idempotencyKey: string | null,
  signal?: AbortSignal,
): Promise<Asked> {
  const headers = idempotencyKey === null ? {} : { 'Idempotency-Key': idempotencyKey };
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await client.ask('createJob', { body: request, headers, signal });
    } catch (error) {
      const waitMs = waitBefore(error, attempt);
      if (idempotencyKey === null || waitMs === null) throw error;
      if (!(await isVencDaemon(client))) throw unheeded(error);
      await pause(waitMs, signal);
      await client.relocate();
    }
  }
}

/** Whoever gave a key relies on it, and is told that nothing was repeated. */
function unheeded(error: unknown): unknown {
  if (!isVencError(error)) return error;
  const { errorClass, message, complaints, cause, retryAfterSeconds } = error;
  const note = 'it was sent once, as this service is not known to heed idempotency keys';
  return new VencError(errorClass, message, {
    complaints,
    cause,
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    hint: error.hint === null ? note : `${error.hint}; ${note}`,
  });
}

function waitBefore(error: unknown, attempt: number): number | null {
  if (!isVencError(error)) return null;
  const mayPass = error.errorClass === 'UnreachableError' || error.entry.retryable;
  return mayPass ? waitAfter(error, retryDelaysMs[attempt]) : null;
}

/** Whether a service is a `venc daemon`: only that is known to keep idempotency keys, which the service document does not have. */
export async function isVencDaemon(client: Client): Promise<boolean> {
  if (client.target.isOwnDaemon === true) return true;
  try {
    return fieldsOf((await client.ask('version')).body).name === 'venc';
  } catch {
    return false;
  }
}
