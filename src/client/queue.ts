import { coerceRecord } from '../shared/client/coerce.js';
import { isVencError, VencError } from '../shared/errors.js';
import { jobPauseFields, pageLinkFields, queueFields } from '../shared/records/answers.js';
import type { JobPauseRecord, QueueRecord } from '../shared/records.js';
import type { Client } from './client.js';
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

/**
 * Ends the pause, and overrides the hours of the daemon for a number of seconds. Resolves to the state after it: the whole
 * daemon may still be paused. Rejects as `pauseQueue` does.
 */
export function resumeQueue(client: Client, seconds: number | null = null): Promise<QueueRecord> {
  return change(client, 'resumeQueue', seconds === null ? {} : { for: seconds });
}

/**
 * Changes the place of a waiting job among those of its account. Rejects as `Client.call` does, and with `UsageError` if
 * the service cannot do that.
 */
export async function prioritizeJob(
  client: Client,
  id: number,
  place: { readonly priority: number } | { readonly next: true },
): Promise<void> {
  await callOwn(() => client.call('prioritizeJob', { values: { id }, body: place }), {
    missing: 'This service cannot change the place of a job.',
    fallback: () => client.job(id),
  });
}

/**
 * Pauses a job, or ends that; no-op if it is paused, or is not, already. Rejects as `Client.call` does, and with
 * `UsageError` if the service cannot do that.
 */
export async function changeJobPause(
  client: Client,
  route: 'pauseJob' | 'resumeJob',
  id: number,
): Promise<JobPauseRecord> {
  const { body } = await callOwn(() => client.call(route, { values: { id } }), {
    missing: 'This service cannot pause a single job.',
    fallback: () => client.job(id),
  });
  return coerceRecord(jobPauseFields, body);
}

/**
 * Has the notifications of a job that has ended sent again. Rejects as `Client.call` does, and with `UsageError` if the
 * service cannot do that.
 */
export async function resendNotifications(client: Client, id: number): Promise<void> {
  await callOwn(() => client.call('resendNotifications', { values: { id } }), {
    missing: 'This service cannot send notifications again.',
    fallback: () => client.job(id),
  });
}

/**
 * Makes a link that signs the key in at the page of a daemon, once within a minute. Rejects as `Client.call` does, and
 * with `UsageError` if there is no page.
 */
export async function createPageLink(client: Client): Promise<string> {
  const { body } = await callOwn(() => client.call('createPageLink'), {
    missing: 'This service has no page: it is no venc daemon, or it runs with --no-ui.',
    fallback: () => client.listJobs({ perPage: 1 }),
  });
  return coerceRecord(pageLinkFields, body).url;
}

async function change(
  client: Client,
  route: 'pauseQueue' | 'resumeQueue',
  body: object,
): Promise<QueueRecord> {
  const response = await callOwn(() => client.call(route, { body }), {
    missing: 'This service has no queue that venc can pause.',
    fallback: () => client.listJobs({ perPage: 1 }),
  });
  return coerceRecord(queueFields, response.body);
}

/** Calls a route that only a venc daemon has. `missing` is the error if it is not there, `fallback` a route that is. */
async function callOwn<T>(
  call: () => Promise<T>,
  { missing, fallback }: { readonly missing: string; readonly fallback: () => Promise<unknown> },
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const isAnswer = (['ForbiddenError', 'ConflictError', 'InvalidRequestError'] as const).some((name) =>
      isVencError(error, name),
    );
    if (isAnswer) throw error;
    throw await explainMissingRoute(error, {
      missing: new VencError('UsageError', missing, {
        cause: error,
        hint: 'only a venc daemon can do that, and those of earlier versions cannot',
      }),
      fallback,
    });
  }
}
