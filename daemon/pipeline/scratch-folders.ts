import { access, appendFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Log } from '../../src/shared/util/log.js';

/** A file that reached its destination for an output that was not finished yet. */
export interface DeliveredFile {
  readonly jobId: number;
  readonly outputId: number;
  readonly url: string;
}

/** Folders to work in, one a job, below one folder of the data folder. Nothing in them is worth keeping but the notes of what was delivered. */
export interface ScratchFolders {
  /** A new, empty folder for one run of a job. */
  open(jobId: number): Promise<string>;
  /** Deletes it with all that is in it. Never rejects: what cannot be deleted is logged, and tried again later. */
  close(folder: string): Promise<void>;
  /**
   * Notes in a run's folder that a file in it is about to be delivered. Once it is gone from there it has arrived, so that the next
   * daemon can take it away should this one be killed.
   */
  recordDelivery(
    folder: string,
    file: { readonly outputId: number; readonly path: string; readonly url: string },
  ): Promise<void>;
  /** What had arrived by such notes in the folders that earlier daemons left. */
  listDelivered(): Promise<readonly DeliveredFile[]>;
  /** Deletes what earlier daemons left. Never rejects, as `close`. */
  clear(): Promise<void>;
  /** Tries again to delete what could not be deleted before. Never rejects. */
  retryRemovals(): Promise<void>;
}

/** Keeps scratch folders below `root`. */
export function createScratchFolders(root: string, log: Log): ScratchFolders {
  /** Folders that could not be deleted. */
  const undeletable = new Set<string>();
  const remove = async (folder: string): Promise<boolean> => {
    try {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      if (undeletable.delete(folder)) log('info', `The scratch folder ${folder} is removed now.`);
      return true;
    } catch (error) {
      if (!undeletable.has(folder))
        log('warn', `The scratch folder ${folder} could not be removed, and is tried again later: ${error}`);
      undeletable.add(folder);
      return false;
    }
  };
  const retryRemovals = async () => {
    for (const folder of [...undeletable]) await remove(folder);
  };
  return {
    async open(jobId) {
      let folder = join(root, String(jobId));
      for (let run = 2; run <= maxFolderNames && !(await remove(folder)); run += 1)
        folder = join(root, `${jobId}-${run}`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
    async close(folder) {
      await remove(folder);
      await retryRemovals();
    },
    // URLs hold passwords.
    recordDelivery: (folder, { outputId, path, url }) =>
      appendFile(join(folder, journalName), `${outputId} ${basename(path)} ${url}\n`, { mode: 0o600 }),
    async listDelivered() {
      const names = await readdir(root).catch(() => []);
      return (await Promise.all(names.map((name) => readJournal(root, name)))).flat();
    },
    async clear() {
      const names = await readdir(root).catch(() => []);
      await Promise.all(names.map((name) => remove(join(root, name))));
    },
    retryRemovals,
  };
}

const journalName = 'deliveries';
/** Names that are tried for a folder; more than that, and the disk is at fault. */
const maxFolderNames = 100;

async function readJournal(root: string, name: string): Promise<readonly DeliveredFile[]> {
  const text = await readFile(join(root, name, journalName), 'utf8').catch(() => '');
  const delivered: DeliveredFile[] = [];
  // A daemon that was killed may have left half a line.
  for (const [, outputId, file = '', url = ''] of text.matchAll(/^(\d+) (\S+) (.+)\n/gm)) {
    const isStillLocal = await access(join(root, name, file)).then(
      () => true,
      () => false,
    );
    // The folder is named after its job, with the number of the run behind it where an earlier one could not be removed.
    if (!isStillLocal) delivered.push({ jobId: Number.parseInt(name, 10), outputId: Number(outputId), url });
  }
  return delivered;
}
