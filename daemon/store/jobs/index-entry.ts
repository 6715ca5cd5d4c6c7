import { isFinal, isJobState, type JobState } from '../../../src/shared/states.js';
import type { Job } from '../../jobs/job.js';
import { type JobDailyUsage, usageOf } from '../../jobs/usage.js';

/** The use of an `Idempotency-Key` for a job. */
export interface IdempotencyKeyUse {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
}

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

/** A unique name for an account and a key. */
export function idempotencyName(accountId: string, key: string): string {
  return JSON.stringify([accountId, key]);
}

/** The usage of a job on one day. Empty fields at the end are omitted. */
export type UsageRow = readonly [day: string, encodedMs: number, billableMs: number, grouping?: string];

/** A removed job. Empty fields at the end are omitted. */
export type IndexRow = readonly [id: number, accountId: string, state: string, usage?: readonly UsageRow[]];

/** What is known of a removed job. */
export type RemovedJob = Pick<IndexEntry, 'id' | 'accountId' | 'state' | 'usage'>;

/** Encodes a removed job. */
export function writeIndexRow({ id, accountId, state, usage }: RemovedJob): IndexRow {
  return usage.length === 0 ? [id, accountId, state] : [id, accountId, state, usage.map(writeUsageRow)];
}

/** Decodes a removed job; null if the row is invalid. */
export function readIndexRow(row: unknown): RemovedJob | null {
  if (!Array.isArray(row)) return null;
  const [id, accountId, state, rows = []]: readonly unknown[] = row;
  if (typeof id !== 'number' || typeof accountId !== 'string') return null;
  if (typeof state !== 'string' || !isJobState(state)) return null;
  const usage = readUsageRows(rows);
  return usage === null ? null : { id, accountId, state, usage };
}

/** Encodes the usage of a job on one day. */
export function writeUsageRow({ day, encodedMs, billableMs, grouping }: JobDailyUsage): UsageRow {
  return grouping === null ? [day, encodedMs, billableMs] : [day, encodedMs, billableMs, grouping];
}

/** Decodes the usage of a job; null if a row is invalid. */
export function readUsageRows(rows: unknown): readonly JobDailyUsage[] | null {
  if (!Array.isArray(rows)) return null;
  const usageRows = rows.map(readUsageRow).filter((usage) => usage !== null);
  return usageRows.length === rows.length ? usageRows : null;
}

function readUsageRow(row: unknown): JobDailyUsage | null {
  if (!Array.isArray(row)) return null;
  const day: unknown = row[0];
  const encodedMs: unknown = row[1];
  const billableMs: unknown = row[2];
  const grouping: unknown = row[3] ?? null;
  if (typeof day !== 'string' || !(grouping === null || typeof grouping === 'string')) return null;
  if (!isCount(encodedMs) || !isCount(billableMs) || encodedMs === 0) return null;
  return { day, grouping, encodedMs, billableMs };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
