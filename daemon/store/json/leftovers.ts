import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Disk } from './disk.js';
import { isTemporaryName } from './durable-files.js';
import type { DataLayout } from './layout.js';

/** Far longer than any write of a small file takes. */
const abandonedAfterMs = 60_000;

/**
 * Deletes what crashes left of writes in the data folder itself and in `jobs`. Only what is a minute old: commands that work
 * on accounts write there without the lock, and may be at it now. (The folders of jobs are cleared as they are read.)
 */
export async function clearLeftovers(layout: DataLayout, disk: Disk): Promise<void> {
  for (const folder of [layout.folder, dirname(layout.index)]) {
    for (const name of (await readdir(folder)).filter(isTemporaryName)) {
      const path = join(folder, name);
      if (await isAbandoned(path)) await disk.remove(path).catch(() => undefined);
    }
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  try {
    return (await stat(path)).mtimeMs < Date.now() - abandonedAfterMs;
  } catch {
    return false;
  }
}
