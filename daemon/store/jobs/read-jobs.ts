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
import { JobIndex } from './index/job-index.js';
import { indexEntry } from './index-entry.js';
import { type JobDocument, maxConcurrentReads, readJobFile, readJobFolder } from './job-document.js';
import { noneRemoved, type RemovedFolder, readRemovedJobs } from './removed-jobs.js';

/** The jobs that a start finds in a data folder. */
export interface LoadedJobs {
  /** Jobs that are not final, in full. They are also in the index. */
  readonly active: readonly JobDocument[];
  readonly index: JobIndex;
  /** The hosted files of removed jobs that may still exist, by the name of the folder in `jobs/done`. */
  readonly removedFiles: Map<string, readonly string[]>;
  /** The folders in `jobs/done` of which jobs were removed. */
  readonly foldersWithRemoved: ReadonlySet<string>;
  /** No id up to this one may be used again. */
  readonly maxId: number;
  /** Number of final jobs that had to be read because the index had no valid rows. */
  readonly doneRead: number;
}

/** The options of `readJobs`. */
interface ReadJobsOptions {
  /** Reads every job file and ignores the index. */
  readonly isIndexIgnored: boolean;
}

/** Where a start reads from. */
interface Source {
  readonly layout: DataLayout;
  readonly disk: Disk;
  readonly damaged: DamagedJobs;
}

/** What the folders of final jobs add up to. */
interface LoadedDoneJobs {
  readonly index: JobIndex;
  readonly files: Map<string, readonly string[]>;
  readonly foldersWithRemoved: Set<string>;
  /** The ids of jobs in these folders whose state is not final. */
  readonly notFinal: number[];
  maxId: number;
  readCount: number;
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
  const index = await JobIndex.open(layout, { isIgnored: options.isIndexIgnored });
  const active = new Map<number, JobDocument>();
  for (const document of await readJobFolder(layout.active, disk, damaged))
    active.set(document.job.id, document);
  const done = await readDone({ layout, disk, damaged }, index, active);
  let { maxId } = done;
  for (const id of active.keys()) maxId = Math.max(maxId, id);

  const activeDocuments = [...active.values()];
  const misplaced = activeDocuments.filter(({ job }) => isFinal(job.state)).map(({ job }) => job.id);
  const conflicting = [...active.keys()].filter((id) => index.get(id) !== undefined);
  for (const id of new Set([...misplaced, ...conflicting, ...done.notFinal])) {
    const newest = await repair(layout, disk, id, active.get(id) ?? null);
    active.delete(id);
    index.delete(id);
    if (newest === null) continue;
    if (isFinal(newest.job.state)) index.put(indexEntry(newest.job));
    else active.set(id, newest);
  }
  for (const { job } of [...active.values()].sort((a, b) => a.job.id - b.job.id)) index.load(indexEntry(job));
  return {
    active: [...active.values()],
    index,
    removedFiles: done.files,
    foldersWithRemoved: done.foldersWithRemoved,
    // Last: reading may have quarantined the greatest id.
    maxId: Math.max(maxId, damaged.maxId),
    doneRead: done.readCount,
  };
}

/** Reads the folders of final jobs, in the order of their ids. Deletes what a crash left of removed jobs. */
async function readDone(
  source: Source,
  index: JobIndex,
  active: Map<number, JobDocument>,
): Promise<LoadedDoneJobs> {
  const { layout } = source;
  const done: LoadedDoneJobs = {
    index,
    files: new Map(),
    foldersWithRemoved: new Set(),
    notFinal: [],
    maxId: 0,
    readCount: 0,
  };
  const folders = (await readdir(layout.done))
    .flatMap((name) => {
      const firstId = firstIdOfDoneFolder(name);
      return firstId === null ? [] : [{ name, firstId }];
    })
    .sort((a, b) => a.firstId - b.firstId);
  // Also if a folder is empty: its jobs were deleted by hand, and their ids stay used.
  done.maxId = folders.at(-1)?.firstId ?? 0;
  await index.dropChanged(
    layout,
    folders.map(({ name }) => name),
  );
  // A few folders at a time: removed jobs may be far more than those that are left.
  for (let start = 0; start < folders.length; start += maxConcurrentReads) {
    const names = folders.slice(start, start + maxConcurrentReads).map(({ name }) => name);
    const removed = await Promise.all(
      names.map((name) => (index.hasNoneRemoved(name) ? noneRemoved : readRemovedJobs(layout, name))),
    );
    for (const [position, name] of names.entries()) {
      const maxId = index.loadFolder(name);
      if (maxId === null) await readFolder(source, name, done);
      else done.maxId = Math.max(done.maxId, maxId);
      await addRemoved(source, name, removed[position] ?? noneRemoved, { done, active });
    }
  }
  return done;
}

/** Reads the job files of a folder. */
async function readFolder(
  { layout, disk, damaged }: Source,
  name: string,
  done: LoadedDoneJobs,
): Promise<void> {
  const documents = await readJobFolder(join(layout.done, name), disk, damaged);
  done.readCount += documents.length;
  for (const { job } of [...documents].sort((a, b) => a.job.id - b.job.id)) {
    if (doneFolderName(job.id) !== name) continue;
    done.maxId = Math.max(done.maxId, job.id);
    done.index.load(indexEntry(job));
    if (!isFinal(job.state)) done.notFinal.push(job.id);
  }
}

/** Adds the removed jobs of a folder. A crash may have left their files. */
async function addRemoved(
  { layout, disk }: Source,
  name: string,
  { entries, files }: RemovedFolder,
  { done, active }: { readonly done: LoadedDoneJobs; readonly active: Map<number, JobDocument> },
): Promise<void> {
  if (entries.length > 0) done.foldersWithRemoved.add(name);
  if (files.length > 0) done.files.set(name, files);
  for (const entry of entries) {
    const { id } = entry;
    done.maxId = Math.max(done.maxId, id);
    if (done.index.get(id) !== undefined) {
      done.index.delete(id);
      await disk.remove(join(layout.done, name, jobFileName(id)));
    }
    if (active.delete(id)) await disk.remove(join(layout.active, jobFileName(id)));
    done.index.addRemoved(entry);
  }
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
