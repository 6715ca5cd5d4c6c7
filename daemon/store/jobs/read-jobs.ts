import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isFinal } from '../../../src/shared/states.js';
import type { Disk } from '../../../src/shared/util/disk.js';
import {
  type DataLayout,
  doneFolderName,
  firstIdOfDoneFolder,
  jobFile,
  jobFileName,
} from '../data-folder/layout.js';
import type { DamagedJobs } from './damaged-jobs.js';
import { type CachedFolder, folderChangedAtNs, readIndexFile } from './index-file.js';
import { type JobDocument, readJobFile, readJobFolder } from './job-document.js';
import { type IndexEntry, indexEntry } from './job-index.js';
import { readRemovedJobs } from './removed-jobs.js';

/** The jobs that a start finds in a data folder. */
export interface LoadedJobs {
  /** Jobs that are not final, in full. */
  readonly active: readonly JobDocument[];
  /** Final jobs, as index entries. */
  readonly done: readonly IndexEntry[];
  /** Removed jobs, and by folder the hosted files that may still exist. */
  readonly removed: {
    readonly entries: readonly IndexEntry[];
    readonly files: ReadonlyMap<string, readonly string[]>;
  };
  /** No id up to this one may be used again. */
  readonly maxId: number;
  /** Number of final jobs that had to be read because the index had no valid entry. */
  readonly doneRead: number;
}

/** The options of `readJobs`. */
interface ReadJobsOptions {
  /** Reads every job file and ignores the index. */
  readonly isIndexIgnored: boolean;
}

interface LoadedDoneJobs {
  readonly entries: Map<number, IndexEntry>;
  readonly removed: Map<number, IndexEntry>;
  readonly files: ReadonlyMap<string, readonly string[]>;
  readonly maxId: number;
  readonly readCount: number;
}

/**
 * Reads all jobs and repairs what a crash left. If a job was being moved between `active` and `done` and is
 * in both, the file with the greater revision is kept; a misplaced file is moved.
 */
export async function readJobs(
  layout: DataLayout,
  disk: Disk,
  damaged: DamagedJobs,
  options: ReadJobsOptions,
): Promise<LoadedJobs> {
  const cache: ReadonlyMap<string, CachedFolder> = options.isIndexIgnored
    ? new Map()
    : await readIndexFile(layout);
  const done = await readDone(layout, disk, damaged, cache);
  const active = new Map<number, JobDocument>();
  for (const document of await readJobFolder(layout.active, disk, damaged)) {
    const { id } = document.job;
    if (done.removed.has(id)) await disk.remove(join(layout.active, jobFileName(id)));
    else active.set(id, document);
  }
  // Computed now: reading may have quarantined the greatest id.
  let maxId = Math.max(done.maxId, damaged.maxId);
  for (const id of [...active.keys(), ...done.entries.keys(), ...done.removed.keys()])
    maxId = Math.max(maxId, id);

  const isConflicting = ({ id, state }: IndexEntry) => active.has(id) || !isFinal(state);
  const misplaced = [...active.values()].filter(({ job }) => isFinal(job.state)).map(({ job }) => job.id);
  const conflicting = [...done.entries.values()].filter(isConflicting).map(({ id }) => id);
  for (const id of new Set([...misplaced, ...conflicting])) {
    const newest = await repair(layout, disk, id, active.get(id) ?? null);
    active.delete(id);
    done.entries.delete(id);
    if (newest === null) continue;
    if (isFinal(newest.job.state)) done.entries.set(id, indexEntry(newest.job));
    else active.set(id, newest);
  }
  return {
    active: [...active.values()],
    done: [...done.entries.values()],
    removed: { entries: [...done.removed.values()], files: done.files },
    maxId,
    doneRead: done.readCount,
  };
}

async function readDone(
  layout: DataLayout,
  disk: Disk,
  damaged: DamagedJobs,
  cache: ReadonlyMap<string, CachedFolder>,
): Promise<LoadedDoneJobs> {
  const entries = new Map<number, IndexEntry>();
  const removed = new Map<number, IndexEntry>();
  const files = new Map<string, readonly string[]>();
  let maxId = 0;
  let readCount = 0;
  for (const name of await readdir(layout.done)) {
    const firstId = firstIdOfDoneFolder(name);
    if (firstId === null) continue;
    // Also if the folder is empty: its jobs were deleted by hand, and their ids stay used.
    maxId = Math.max(maxId, firstId);
    const folder = join(layout.done, name);
    const cached = cache.get(name);
    const isUnchanged =
      cached !== undefined && cached.changedAtNs === String(await folderChangedAtNs(folder));
    const found = isUnchanged
      ? cached.entries
      : (await readJobFolder(folder, disk, damaged)).map(({ job }) => indexEntry(job));
    if (!isUnchanged) readCount += found.length;
    const removedFolder = await readRemovedJobs(layout, name);
    for (const entry of removedFolder.entries) removed.set(entry.id, entry);
    if (removedFolder.files.length > 0) files.set(name, removedFolder.files);
    for (const entry of found) {
      // A crash happened between the removal of the job and that of its file.
      if (removed.has(entry.id)) await disk.remove(join(folder, jobFileName(entry.id)));
      else if (doneFolderName(entry.id) === name) entries.set(entry.id, entry);
    }
  }
  return { entries, removed, files, maxId, readCount };
}

/** Keeps only the newest file of a job, in the folder that its state requires. */
async function repair(
  layout: DataLayout,
  disk: Disk,
  id: number,
  active: JobDocument | null,
): Promise<JobDocument | null> {
  const activePath = join(layout.active, jobFileName(id));
  const donePath = jobFile(layout, id, 'finished');
  const found = await readJobFile(donePath, id);
  const done = found.kind === 'whole' ? found.data : null;
  // Revisions differ if a store wrote both; should they be equal, the final job is the later one.
  const isDoneNewer = done !== null && (active === null || done.revision >= active.revision);
  const newest = isDoneNewer ? done : active;
  if (newest === null) return null;
  const from = isDoneNewer ? donePath : activePath;
  const to = jobFile(layout, id, newest.job.state);
  if (from !== to) {
    await disk.makeFolder(dirname(to));
    await disk.rename(from, to);
  }
  // The remaining file must be durable before the other is deleted.
  await disk.syncFolder(dirname(to));
  const other = to === donePath ? activePath : donePath;
  if (active !== null && done !== null && other !== from) await disk.remove(other);
  return newest;
}
