import type { JobState } from '../../../src/shared/states.js';
import { isFinal } from '../../../src/shared/states.js';
import type { Job } from '../../jobs/job.js';
import { type JobDailyUsage, usageOf } from '../../jobs/usage.js';
import type { IdempotencyKeyUse } from './idempotency-index.js';

/** What lists, look-ups and reports need to know of every job without opening its file. */
export interface IndexEntry {
  readonly id: number;
  readonly accountId: string;
  readonly state: JobState;
  /** When a final job ended, in seconds since 1970; 0 if it is not final or its time is invalid. */
  readonly endedAtSeconds: number;
  readonly usage: readonly JobDailyUsage[];
  readonly hasNotifications: boolean;
  /** null also if the key has expired. */
  readonly idempotencyKey: IdempotencyKeyUse | null;
}

/** Makes the entry of a job. */
export function indexEntry(job: Job): IndexEntry {
  const { id, accountId, state, idempotency: idempotencyKey } = job;
  const createdAtMs = idempotencyKey === null ? Number.NaN : Date.parse(job.createdAt);
  return {
    id,
    accountId,
    state,
    endedAtSeconds: endOf(job),
    usage: usageOf(job),
    hasNotifications: job.pendingNotifications.length > 0,
    idempotencyKey:
      idempotencyKey === null || Number.isNaN(createdAtMs) ? null : { key: idempotencyKey.key, createdAtMs },
  };
}

function endOf({ state, finishedAt, updatedAt }: Job): number {
  if (!isFinal(state)) return 0;
  const seconds = Math.floor(Date.parse(finishedAt ?? updatedAt) / 1000);
  return seconds > 0 && seconds < 2 ** 32 ? seconds : 0;
}
