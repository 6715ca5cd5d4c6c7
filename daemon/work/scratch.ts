import { access, appendFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** A file that reached its destination for an output that was not finished yet. */
export interface DeliveredFile {
  readonly jobId: number;
  readonly outputId: number;
  readonly url: string;
}

/** Folders to work in, one a job, below one folder of the data folder. Nothing in them is worth keeping but the notes of what was delivered. */
export interface ScratchRoom {
  /** A new, empty folder for one run of a job. */
  open(jobId: number): Promise<string>;
  /** Deletes it with all that is in it. */
  close(folder: string): Promise<void>;
  /**
   * Notes in a run's folder that a file in it is about to be delivered. Once it is gone from there it has arrived, so that the next
   * daemon can take it away should this one be killed.
   */
  note(
    folder: string,
    file: { readonly outputId: number; readonly path: string; readonly url: string },
  ): Promise<void>;
  /** What had arrived by such notes in the folders that earlier daemons left. */
  noted(): Promise<readonly DeliveredFile[]>;
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
    // URLs hold passwords.
    note: (folder, { outputId, path, url }) =>
      appendFile(join(folder, notesName), `${outputId} ${basename(path)} ${url}\n`, { mode: 0o600 }),
    async noted() {
      const names = await readdir(root).catch(() => []);
      return (await Promise.all(names.map((name) => notesIn(root, name)))).flat();
    },
    async clear() {
      const names = await readdir(root).catch(() => []);
      await Promise.all(names.map((name) => remove(join(root, name))));
    },
  };
}

const notesName = 'deliveries';

async function notesIn(root: string, name: string): Promise<readonly DeliveredFile[]> {
  const text = await readFile(join(root, name, notesName), 'utf8').catch(() => '');
  const arrived: DeliveredFile[] = [];
  // A daemon that was killed may have left half a line.
  for (const [, outputId, file = '', url = ''] of text.matchAll(/^(\d+) (\S+) (.+)\n/gm)) {
    const isWaiting = await access(join(root, name, file)).then(
      () => true,
      () => false,
    );
    if (!isWaiting) arrived.push({ jobId: Number(name), outputId: Number(outputId), url });
  }
  return arrived;
}
