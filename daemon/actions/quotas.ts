import { VencError } from '../../src/shared/errors.js';
import { formatBytes } from '../../src/shared/text/numbers.js';
import { defaultAccountId } from '../jobs/job.js';
import type { Account } from '../store/account-store.js';
import type { CreateOptions } from '../store/job-store.js';
import type { AppContext } from './app-context.js';

const msPerMinute = 60_000;

/**
 * Rejects with `QuotaError` if an account has reached its limit of minutes or of hosted bytes. Resolves to the check of
 * its waiting jobs, which the store makes together with the create. The owner has no limits.
 */
export async function requireQuota(
  { store, now }: Pick<AppContext, 'store' | 'now'>,
  { id: accountId, name, quotas = {} }: Account,
): Promise<CreateOptions> {
  if (accountId === defaultAccountId) return {};
  const { waitingJobs, minutesPerDay, hostedBytes } = quotas;
  if (minutesPerDay !== undefined) {
    const day = now().toISOString().slice(0, 10);
    const usage = await store.usage({ accountId, from: day, to: day });
    const minutes = usage.reduce((sum, { encodedMs }) => sum + encodedMs, 0) / msPerMinute;
    if (minutes >= minutesPerDay) {
      const used = `${count(Math.floor(minutes * 10) / 10, 'minute', 'minutes')} of output finished on ${day} (UTC)`;
      throw reached(name, 'minutes_per_day', `${used}, and the limit is ${minutesPerDay}`);
    }
  }
  if (hostedBytes !== undefined) {
    const bytes = await store.hostedBytes(accountId, now());
    if (bytes >= hostedBytes)
      throw reached(
        name,
        'hosted_bytes',
        `the hosted outputs have ${formatBytes(bytes)}, and the limit is ${formatBytes(hostedBytes)}`,
      );
  }
  if (waitingJobs === undefined) return {};
  return {
    requireRoom(waitingCount) {
      if (waitingCount >= waitingJobs)
        throw reached(
          name,
          'waiting_jobs',
          `${count(waitingCount, 'job is', 'jobs are')} waiting, and the limit is ${waitingJobs}`,
        );
    },
  };
}

function count(value: number, one: string, many: string): string {
  return `${value} ${value === 1 ? one : many}`;
}

function reached(name: string, limit: string, how: string): VencError {
  return new VencError('QuotaError', `The account ${name} has reached its limit ${limit}: ${how}.`);
}
