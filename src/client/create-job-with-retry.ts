import { isVencError, VencError } from '../shared/errors.js';
import { abortableSleep } from './abortable-sleep.js';
import type { ServiceResponse } from './call.js';
import type { Client } from './client.js';
import { fieldsOf } from './coerce.js';
import { delayAfterError } from './retries.js';

/** Waits before the second and the third try, unless the service asks for a time of its own. */
const retryDelaysMs = [500, 2000] as const;

/**
 * Creates a job (section 4.1). It is tried again only with an idempotency key, and only at a service that is known to support it: anywhere
 * else a request whose answer was lost may have made its job already. Rejects as `Client.ask` does.
 */
export async function createJobWithRetry(
  client: Client,
  request: unknown,
  idempotencyKey: string | null,
  signal?: AbortSignal,
): Promise<ServiceResponse> {
  const headers = idempotencyKey === null ? {} : { 'Idempotency-Key': idempotencyKey };
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await client.call('createJob', { body: request, headers, signal });
    } catch (error) {
      const waitMs = retryDelayMs(error, attempt);
      if (idempotencyKey === null || waitMs === null) throw error;
      if (!(await isVencDaemon(client))) throw toNotRetriedError(error);
      await abortableSleep(waitMs, signal);
      await client.relocate();
    }
  }
}

/** A caller that gave a key relies on it, so the error says that nothing was repeated. */
function toNotRetriedError(error: unknown): unknown {
  if (!isVencError(error)) return error;
  const { errorClass, message, messages, cause, retryAfterSeconds } = error;
  const note = 'it was sent once, because this service is not known to support idempotency keys';
  return new VencError(errorClass, message, {
    messages,
    cause,
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    hint: error.hint === null ? note : `${error.hint}; ${note}`,
  });
}

function retryDelayMs(error: unknown, attempt: number): number | null {
  if (!isVencError(error)) return null;
  const isTransient = error.errorClass === 'UnreachableError' || error.entry.retryable;
  return isTransient ? delayAfterError(error, retryDelaysMs[attempt]) : null;
}

/** Whether a service is a `venc daemon`: only that is known to keep idempotency keys, which the service document does not have. */
export async function isVencDaemon(client: Client): Promise<boolean> {
  if (client.target.isOwnDaemon === true) return true;
  try {
    return fieldsOf((await client.call('version')).body).name === 'venc';
  } catch {
    return false;
  }
}
