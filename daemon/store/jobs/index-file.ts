import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isJobState } from '../../../src/shared/states.js';
import type { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import type { JobDailyUsage } from '../../jobs/usage.js';
import { readDocument } from '../data-folder/document.js';
import { type DataLayout, doneFolderName } from '../data-folder/layout.js';
import type { IdempotencyKeyUse } from './idempotency-index.js';
import type { IndexEntry } from './job-index.js';

/*
 * `jobs/index` saves a start from reading every final job. It is a cache per folder: the entry of a folder in
 * `jobs/done` is valid only while the folder's modification time equals the recorded one. Writes of the store
 * rename files, which changes that time; after kill -9, only the folders that changed since are read again,
 * and a restored backup is noticed too. The index is written when the store closes, and after a start that
 * had to read many jobs, but never by a create or an update. An append-only log was rejected: it costs a
 * write per change and a compaction, to save reading one or two folders.
 */

// Version 1 had no usage, notifications and keys: a file of that version counts as missing.
const version = 2;
// As in git's index: a change within the same tick of a coarse clock would not change the time.
const settledMs = 2000;

/** The cached entries of one folder in `jobs/done`. */
export interface CachedFolder {
  /**
   * Modification time of the folder in nanoseconds. A string, because it exceeds the precision of numbers.
   */
  readonly changedAtNs: string;
  readonly entries: readonly IndexEntry[];
}

interface IndexDocument {
  readonly version: typeof version;
  readonly folders: Readonly<
    Record<string, { readonly changedAtNs: string; readonly jobs: readonly IndexRow[] }>
  >;
}

/** Reads the cache, by folder name. Empty if it is missing, damaged or of another version. */
export async function readIndexFile(layout: DataLayout): Promise<ReadonlyMap<string, CachedFolder>> {
  const found = await readDocument(layout.index, readFolders);
  return found.kind === 'whole' ? found.data : new Map();
}

/** Writes the cache of final jobs. Omits folders that changed within the last two seconds. */
export async function writeIndexFile(
  files: AtomicFiles,
  layout: DataLayout,
  done: readonly IndexEntry[],
  now: Date,
): Promise<void> {
  const jobs = new Map<string, IndexRow[]>();
  for (const entry of done) {
    const name = doneFolderName(entry.id);
    const list = jobs.get(name) ?? [];
    jobs.set(name, list);
    list.push(writeIndexRow(entry));
  }
  const folders: Record<string, IndexDocument['folders'][string]> = {};
  for (const [name, list] of jobs) {
    const changedAtNs = await folderChangedAtNs(join(layout.done, name));
    if (changedAtNs === null || Number(changedAtNs / 1_000_000n) > now.getTime() - settledMs) continue;
    folders[name] = { changedAtNs: String(changedAtNs), jobs: list };
  }
  const document: IndexDocument = { version, folders };
  await files.write(layout.index, JSON.stringify(document));
}

/** When names in a folder last changed, in nanoseconds; null if there is no such folder. */
export async function folderChangedAtNs(folder: string): Promise<bigint | null> {
  try {
    return (await stat(folder, { bigint: true })).mtimeNs;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function readFolders(value: unknown): ReadonlyMap<string, CachedFolder> | null {
  if (!isObject(value) || value.version !== version || !isObject(value.folders)) return null;
  const folders = new Map<string, CachedFolder>();
  for (const [name, folder] of Object.entries(value.folders)) {
    if (!isObject(folder) || typeof folder.changedAtNs !== 'string' || !Array.isArray(folder.jobs))
      return null;
    const entries = folder.jobs.flatMap((row: unknown) => readIndexRow(row) ?? []);
    if (entries.length !== folder.jobs.length) return null;
    folders.set(name, { changedAtNs: folder.changedAtNs, entries });
  }
  return folders;
}

/** Optional fields that few jobs have. */
interface Extras {
  readonly notices?: true;
  readonly once?: IdempotencyKeyUse;
}

type UsageRow = readonly [day: string, encodedMs: number, billableMs: number, grouping?: string];

/**
 * One final job in the index file, as short as possible, because there is one for every job. Empty fields at
 * the end are omitted.
 */
export type IndexRow = readonly [
  id: number,
  accountId: string,
  state: string,
  usage?: readonly UsageRow[],
  extras?: Extras,
];

const formatNoUsage: readonly JobDailyUsage[] = [];

/** Encodes an entry as a row. */
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

/** Decodes a row; null if it is invalid. */
export function readIndexRow(row: unknown): IndexEntry | null {
  if (!Array.isArray(row)) return null;
  // By position: destructuring with `[id, ...] = row` took a third longer for a whole file.
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

/** Decodes the use of a key; undefined if it is invalid. */
function readKeyUse(value: unknown): IdempotencyKeyUse | undefined {
  if (!isObject(value) || typeof value.key !== 'string' || typeof value.createdAtMs !== 'number')
    return undefined;
  return { key: value.key, createdAtMs: value.createdAtMs };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
