import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { textFileOptions } from '../../src/shared/util/disk.js';
import type { Log } from '../../src/shared/util/log.js';
import { hiddenFileName } from '../ffmpeg/index.js';

/** A file that reached its destination for an output that was not finished yet. */
interface DeliveredFile {
  readonly jobId: number;
  readonly outputId: number;
  readonly url: string;
}

/**
 * Scratch folders, one for each run, below one folder of the data folder. Only their journals of delivered files must
 * survive a restart.
 */
export interface ScratchFolders {
  /** Creates an empty folder for a run of a job. */
  open(jobId: number): Promise<string>;
  /** Creates an empty folder for work that belongs to no run. Its name begins with the given one. */
  openFor(work: string): Promise<string>;
  /** Deletes a folder and its contents. Never rejects: failures are logged, and deletion is retried later. */
  close(folder: string): Promise<void>;
  /**
   * Records in the folder of a run that one of its files is about to be delivered. Once the file has left the folder,
   * it was delivered, so the next daemon can remove it from the destination if this one is killed.
   */
  recordDelivery(
    folder: string,
    file: { readonly outputId: number; readonly path: string; readonly url: string },
  ): Promise<void>;
  /**
   * Lists the files that earlier daemons delivered for unfinished outputs, according to the journals in their folders.
   */
  listDelivered(): Promise<readonly DeliveredFile[]>;
  /** Deletes all folders of earlier daemons. Never rejects, like `close`. */
  clear(): Promise<void>;
  /** Retries failed deletions. Never rejects. */
  retryRemovals(): Promise<void>;
}

/** Creates the scratch folders below `root`. */
export function createScratchFolders(root: string, log: Log): ScratchFolders {
  /** Folders that could not be deleted. */
  const undeletable = new Set<string>();
  const remove = async (folder: string): Promise<boolean> => {
    try {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      if (undeletable.delete(folder)) log('info', `The scratch folder ${folder} has now been removed.`);
      return true;
    } catch (error) {
      if (!undeletable.has(folder))
        log('warn', `The scratch folder ${folder} could not be removed; retrying later: ${error}`);
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
      // It exists before the first encode, so that it can be hidden from the encoders in a sandbox.
      await writeFile(join(folder, journalName), '', { mode: 0o600 });
      return folder;
    },
    async openFor(work) {
      await mkdir(root, { recursive: true });
      return mkdtemp(join(root, `${work}-`));
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

const journalName = hiddenFileName;
/** Maximum folder names to try. If all fail, the disk is the cause. */
const maxFolderNames = 100;

async function readJournal(root: string, name: string): Promise<readonly DeliveredFile[]> {
  const text = await readFile(join(root, name, journalName), textFileOptions).catch(() => '');
  const delivered: DeliveredFile[] = [];
  // A daemon that was killed may have left an incomplete line.
  for (const [, outputId, file = '', url = ''] of text.matchAll(/^(\d+) (\S+) (.+)\n/gm)) {
    const links = await stat(join(root, name, file)).then(
      ({ nlink }) => nlink,
      () => 0,
    );
    // A file of this machine gets its final name as a second link, before its name here is removed.
    const isStillLocal = links === 1 || (links > 1 && !/^file:/i.test(url));
    // The folder name is the id of the job, with a run number appended if an earlier folder could not be removed.
    if (!isStillLocal) delivered.push({ jobId: Number.parseInt(name, 10), outputId: Number(outputId), url });
  }
  return delivered;
}
