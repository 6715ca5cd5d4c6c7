import { dirname } from 'node:path';
import type { Disk } from '../../../src/shared/util/disk.js';
import { abandonedFiles } from '../../../src/shared/util/temporary-files.js';
import type { DataLayout } from './layout.js';

/**
 * Deletes what crashes left of writes in the data folder itself and in `jobs`. (The folders of jobs are cleared as they are read.)
 */
export async function removeTemporaryFiles(layout: DataLayout, disk: Disk): Promise<void> {
  await removeAbandonedFiles(layout.folder, disk);
  await removeAbandonedFiles(dirname(layout.index), disk);
}

/** Deletes what killed processes left of writes in one folder. What cannot be deleted stays for the next time. */
export async function removeAbandonedFiles(folder: string, disk: Disk): Promise<void> {
  for (const path of await abandonedFiles(folder)) await disk.remove(path).catch(() => undefined);
}
