import { isVencError, VencError } from '../shared/errors.js';
import type { Client } from './client.js';
import { fieldsOf } from './coerce.js';
import type { ServiceResponse } from './read-response.js';
import { abortableSleep, delayAfterError } from './retries.js';

/** Delays before the second and third attempt, unless the service asks for another delay. */
const retryDelaysMs = [500, 2000] as const;

/**
 * Creates a job (section 4.1). Retries only with an idempotency key, and only at a service that is known to support it:
 * elsewhere, a request whose response was lost may already have created its job. Rejects as `Client.call` does.
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

/** A caller that gave a key relies on it, so the error says that the request was not retried. */
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

/** Whether a service is a `venc daemon`, the only one that is known to support idempotency keys. */
export async function isVencDaemon(client: Client): Promise<boolean> {
  if (client.target.isOwnDaemon === true) return true;
  try {
    return fieldsOf((await client.call('version')).body).name === 'venc';
  } catch {
    return false;
  }
}
