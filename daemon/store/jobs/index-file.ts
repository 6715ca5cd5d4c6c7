import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { isObject } from '../../../src/shared/util/is-object.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import { readDocument } from '../data-folder/document.js';
import { type DataLayout, doneFolderName } from '../data-folder/layout.js';
import { type IndexRow, readIndexRow, writeIndexRow } from './index-row.js';
import type { IndexEntry } from './job-index.js';

/*
 * `jobs/index` spares a start the reading of every final job. It is a cache, folder by folder: what it says of a
 * folder below `jobs/done` counts only while that folder's time of change is the one noted beside it. Our writes
 * rename files, which moves that time; so after kill -9 just the folders that changed since are read again, and a
 * backup that was put back is noticed too. It is written when the store closes, and after a start that
 * had to read a lot: never by a create or an update. An append-only log was the other way: it costs a write with each
 * change and a compaction, to save reading one or two folders.
 */

// 1 knew nothing of usage, notices and keys: a file of that version counts as missing.
const version = 2;
// As git does with its index: a change in the same tick of a coarse clock would leave the time as it was.
const settledMs = 2000;

/** What the cache says of one folder below `jobs/done`. */
export interface CachedFolder {
  /** Time of the folder's last change in nanoseconds. A text, as it is greater than numbers can tell apart. */
  readonly changedAtNs: string;
  readonly entries: readonly IndexEntry[];
}

interface IndexDocument {
  readonly version: typeof version;
  readonly folders: Readonly<
    Record<string, { readonly changedAtNs: string; readonly jobs: readonly IndexRow[] }>
  >;
}

/** What the cache holds, by name of folder. Nothing where it is missing, damaged or of another version. */
export async function readIndexFile(layout: DataLayout): Promise<ReadonlyMap<string, CachedFolder>> {
  const found = await readDocument(layout.index, readFolders);
  return found.kind === 'whole' ? found.data : new Map();
}

/** Writes the cache for final jobs; leaves out folders that changed a moment ago. */
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

/** When names in a folder last changed, in nanoseconds; null where there is no such folder. */
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
