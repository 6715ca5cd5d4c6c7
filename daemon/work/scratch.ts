import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders to work in, one a job, below one folder of the data folder. Nothing in them is worth keeping. */
export interface ScratchRoom {
  /** A new, empty folder for one run of a job. */
  open(jobId: number): Promise<string>;
  /** Deletes it with all that is in it. */
  close(folder: string): Promise<void>;
  /** Deletes what earlier daemons left. */
  clear(): Promise<void>;
}

/** Keeps scratch folders below `root`. */
export function scratchRoom(root: string): ScratchRoom {
  const remove = (folder: string) => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  return {
    async open(jobId) {
      const folder = join(root, String(jobId));
      await remove(folder);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
    close: remove,
    async clear() {
      const names = await readdir(root).catch(() => []);
      await Promise.all(names.map((name) => remove(join(root, name))));
    },
  };
}
