import { isJobState } from '../../../src/shared/states.js';
import type { JobDailyUsage } from '../../jobs/usage.js';
import type { TableEntry } from './job-table.js';

/** The usage of a job on one day. Empty fields at the end are omitted. */
export type UsageRow = readonly [day: string, encodedMs: number, billableMs: number, grouping?: string];

/** A removed job. Empty fields at the end are omitted. */
export type IndexRow = readonly [id: number, accountId: string, state: string, usage?: readonly UsageRow[]];

/** What is known of a removed job. */
export type RemovedJob = Pick<TableEntry, 'id' | 'accountId' | 'state' | 'usage'>;

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
