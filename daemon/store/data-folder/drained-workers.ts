import { Memory } from 'lowdb';
import { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { type Disk, realDisk } from '../../../src/shared/util/disk.js';
import { toWriteError } from './disk-errors.js';
import { DurableJsonFile, JsonDocument, type ReadResult, readDocument } from './document.js';
import { type DataLayout, dataLayout } from './layout.js';

/** The names of workers that drain also after they or the daemon start again. */
export interface DrainedWorkers {
  has(name: string): boolean;
  /**
   * Adds or removes a name. Resolves to whether it was there before. Rejects as `AtomicFiles.write` does; nothing is
   * changed then.
   */
  set(name: string, isDrained: boolean): Promise<boolean>;
}

/**
 * Opens `DATA/drained-workers.json`. A missing or damaged file counts as empty: an operator can drain workers again.
 */
export async function openDrainedWorkers(dataFolder: string, disk: Disk = realDisk): Promise<DrainedWorkers> {
  const file = drainedWorkersFile(dataLayout(dataFolder), new AtomicFiles(disk, toWriteError));
  const document = new JsonDocument<readonly string[]>(file, []);
  await document.read();
  return drainedWorkersIn(document);
}

/** Remembers names in memory, for a process without a data folder of its own. */
export function drainedInMemory(): DrainedWorkers {
  return drainedWorkersIn(new JsonDocument<readonly string[]>(new Memory(), []));
}

function drainedWorkersIn(document: JsonDocument<readonly string[]>): DrainedWorkers {
  return {
    has: (name) => document.data.includes(name),
    async set(name, isDrained) {
      let wasDrained = false;
      await document.update((names) => {
        wasDrained = names.includes(name);
        if (wasDrained === isDrained) return names;
        return isDrained ? [...names, name] : names.filter((known) => known !== name);
      });
      return wasDrained;
    },
  };
}

/** Reads `DATA/drained-workers.json`. Rejects as `readDocument` does. */
export function readDrainedWorkers(layout: DataLayout): Promise<ReadResult<readonly string[]>> {
  return readDocument(layout.drainedWorkers, parseNames);
}

/** `DATA/drained-workers.json`. */
export function drainedWorkersFile(
  layout: DataLayout,
  files: AtomicFiles,
): DurableJsonFile<readonly string[]> {
  return new DurableJsonFile({ path: layout.drainedWorkers, parse: parseNames, files });
}

function parseNames(value: unknown): readonly string[] | null {
  const isText = (one: unknown): one is string => typeof one === 'string';
  return Array.isArray(value) && value.every(isText) ? value : null;
}
