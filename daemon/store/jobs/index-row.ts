import { isJobState } from '../../../src/shared/states.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import type { JobDailyUsage } from '../../jobs/usage.js';
import type { IdempotencyKeyUse } from './idempotency-index.js';
import type { IndexEntry } from './job-index.js';

/** What few jobs have, and what is left out where they have not. */
interface Extras {
  readonly notices?: true;
  readonly once?: IdempotencyKeyUse;
}

type UsageRow = readonly [day: string, encodedMs: number, billableMs: number, grouping?: string];

/**
 * One final job in the index file, as short as may be: there is one for each that ever was. What stands at the end is left out where
 * there is nothing to say.
 */
export type IndexRow = readonly [
  id: number,
  accountId: string,
  state: string,
  usage?: readonly UsageRow[],
  extras?: Extras,
];

const formatNoUsage: readonly JobDailyUsage[] = [];

/** The row of an entry. */
export function writeIndexRow({
  id,
  accountId,
  state,
  usage,
  hasNotifications,
  idempotencyKey: once,
}: IndexEntry): IndexRow {
  const usageRows = usage.map(
    ({ day, encodedMs, billableMs, grouping }): UsageRow =>
      grouping === null ? [day, encodedMs, billableMs] : [day, encodedMs, billableMs, grouping],
  );
  if (hasNotifications || once !== null) {
    const extras = {
      ...(hasNotifications ? { notices: true as const } : {}),
      ...(once === null ? {} : { once }),
    };
    return [id, accountId, state, usageRows, extras];
  }
  return usageRows.length === 0 ? [id, accountId, state] : [id, accountId, state, usageRows];
}

/** The entry that a row tells of; null where it is none. */
export function readIndexRow(row: unknown): IndexEntry | null {
  if (!Array.isArray(row)) return null;
  // By position: to take a row apart with `[id, ...] = row` took a third longer for a whole file.
  const id: unknown = row[0];
  const accountId: unknown = row[1];
  const state: unknown = row[2];
  if (typeof id !== 'number' || typeof accountId !== 'string') return null;
  if (typeof state !== 'string' || !isJobState(state)) return null;
  const usage = row.length < 4 ? formatNoUsage : readUsageRows(row[3]);
  if (usage === null) return null;
  const short = { id, accountId, state, usage, hasNotifications: false, idempotencyKey: null };
  return row.length < 5 ? short : withExtras(short, row[4]);
}

function withExtras(entry: IndexEntry, extras: unknown): IndexEntry | null {
  if (!isObject(extras)) return null;
  const once = extras.once === undefined ? null : readKeyUse(extras.once);
  return once === undefined
    ? null
    : { ...entry, hasNotifications: extras.notices === true, idempotencyKey: once };
}

function readUsageRows(rows: unknown): readonly JobDailyUsage[] | null {
  if (!Array.isArray(rows)) return null;
  if (rows.length === 0) return formatNoUsage;
  const usageRows = rows.map(readUsageRow).filter((share) => share !== null);
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

/** undefined for what is no use of a key. */
function readKeyUse(value: unknown): IdempotencyKeyUse | undefined {
  if (!isObject(value) || typeof value.key !== 'string' || typeof value.createdAtMs !== 'number')
    return undefined;
  return { key: value.key, createdAtMs: value.createdAtMs };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
