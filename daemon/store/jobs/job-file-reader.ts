import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disk } from '../../../src/shared/util/disk.js';
import { mapWithConcurrency } from '../../../src/shared/util/map-with-concurrency.js';
import { isTemporaryName } from '../../../src/shared/util/temporary-files.js';
import { type ReadResult, readDocument } from '../data-folder/document.js';
import { idOfJobFile } from '../data-folder/layout.js';
import type { DamagedJobs } from './damaged-jobs.js';
import { type JobDocument, readJobDocument } from './job-document.js';

/** Enough to keep a disk busy, few enough to stay far from the limit of open files. */
export const maxConcurrentReads = 64;

/** Reads the file of one job. */
export function readJobFile(path: string, id: number): Promise<ReadResult<JobDocument>> {
  return readDocument(path, (value) => readJobDocument(value, id));
}

/**
 * Reads every job in a folder. Damaged ones are set aside; what a crash left of a write is deleted; names that are
 * not those of jobs are let be.
 */
export async function readJobFolder(
  folder: string,
  disk: Disk,
  damaged: DamagedJobs,
): Promise<readonly JobDocument[]> {
  const names = await readdir(folder);
  await mapWithConcurrency(names.filter(isTemporaryName), maxConcurrentReads, (name) =>
    disk.remove(join(folder, name)),
  );
  const documents = await mapWithConcurrency(names, maxConcurrentReads, async (name) => {
    const id = idOfJobFile(name);
    if (id === null) return [];
    const path = join(folder, name);
    const found = await readJobFile(path, id);
    if (found.kind === 'damaged') await damaged.quarantine(id, path, found.reason);
    return found.kind === 'whole' ? [found.data] : [];
  });
  return documents.flat();
}
