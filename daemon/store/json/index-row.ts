import { isJobState } from '../../../src/api/states.js';
import type { UsageShare } from '../../jobs/usage.js';
import type { IndexEntry } from './job-index.js';
import type { KeyUse } from './once-keys.js';
import { isRecord } from './records.js';

/** What few jobs have, and what is left out where they have not. */
interface Extras {
  readonly notices?: true;
  readonly once?: KeyUse;
}

type ShareRow = readonly [day: string, encodedMs: number, billableMs: number, grouping?: string];

/**
 * One final job in the index file, as short as may be: there is one for each that ever was. What stands at the end is left out where
 * there is nothing to say.
 */
export type IndexRow = readonly [
  id: number,
  accountId: string,
  state: string,
  usage?: readonly ShareRow[],
  extras?: Extras,
];

const nothing: readonly UsageShare[] = [];

/** The row of an entry. */
export function writeIndexRow({ id, accountId, state, usage, hasNotices, once }: IndexEntry): IndexRow {
  const shares = usage.map(
    ({ day, encodedMs, billableMs, grouping }): ShareRow =>
      grouping === null ? [day, encodedMs, billableMs] : [day, encodedMs, billableMs, grouping],
  );
  if (hasNotices || once !== null) {
    const extras = { ...(hasNotices ? { notices: true as const } : {}), ...(once === null ? {} : { once }) };
    return [id, accountId, state, shares, extras];
  }
  return shares.length === 0 ? [id, accountId, state] : [id, accountId, state, shares];
}

/** The entry that a row tells of; null where it is none. */
export function readIndexRow(row: unknown): IndexEntry | null {
  if (!Array.isArray(row)) return null;
  const [id, accountId, state, usage = [], extras = {}]: unknown[] = row;
  if (typeof id !== 'number' || typeof accountId !== 'string') return null;
  if (typeof state !== 'string' || !isJobState(state)) return null;
  if (!Array.isArray(usage) || !isRecord(extras)) return null;
  const shares = usage.length === 0 ? nothing : usage.flatMap((share: unknown) => readShare(share) ?? []);
  const once = extras.once === undefined ? null : readUse(extras.once);
  if (shares.length !== usage.length || once === undefined) return null;
  return { id, accountId, state, usage: shares, hasNotices: extras.notices === true, once };
}

function readShare(row: unknown): UsageShare | null {
  if (!Array.isArray(row)) return null;
  const [day, encodedMs, billableMs, grouping = null]: unknown[] = row;
  if (typeof day !== 'string' || !(grouping === null || typeof grouping === 'string')) return null;
  if (!isCount(encodedMs) || !isCount(billableMs) || encodedMs === 0) return null;
  return { day, grouping, encodedMs, billableMs };
}

/** undefined for what is no use of a key. */
function readUse(value: unknown): KeyUse | undefined {
  if (!isRecord(value) || typeof value.key !== 'string' || typeof value.createdAtMs !== 'number')
    return undefined;
  return { key: value.key, createdAtMs: value.createdAtMs };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
