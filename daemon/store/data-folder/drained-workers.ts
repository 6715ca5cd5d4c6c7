import { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { type Disk, realDisk } from '../../../src/shared/util/disk.js';
import { KeyedMutex } from '../../../src/shared/util/semaphore.js';
import { toWriteError } from './disk-errors.js';
import { type ReadResult, readDocument } from './document.js';
import { type DataLayout, dataLayout } from './layout.js';

/** The names of workers that drain also after they or the daemon start again. */
export interface DrainedWorkers {
  has(name: string): boolean;
  /** Adds or removes a name. Resolves to whether it was there before. Rejects as `AtomicFiles.write` does; nothing is changed then. */
  set(name: string, isDrained: boolean): Promise<boolean>;
}

/** Opens `DATA/drained-workers.json`. A missing or damaged file counts as empty: an operator can drain workers again. */
export async function openDrainedWorkers(dataFolder: string, disk: Disk = realDisk): Promise<DrainedWorkers> {
  const layout = dataLayout(dataFolder);
  const path = layout.drainedWorkers;
  const found = await readDrainedWorkers(layout);
  let names = new Set(found.kind === 'whole' ? found.data : []);
  const files = new AtomicFiles(disk, toWriteError);
  const mutex = new KeyedMutex<string>();
  return {
    has: (name) => names.has(name),
    set: (name, isDrained) =>
      mutex.runExclusive(path, async () => {
        const wasDrained = names.has(name);
        if (wasDrained === isDrained) return wasDrained;
        const changed = new Set(names);
        if (isDrained) changed.add(name);
        else changed.delete(name);
        await files.write(path, drainedWorkersText(changed));
        names = changed;
        return wasDrained;
      }),
  };
}

/** Reads `DATA/drained-workers.json`. Rejects as `readDocument` does. */
export function readDrainedWorkers(layout: DataLayout): Promise<ReadResult<readonly string[]>> {
  return readDocument(layout.drainedWorkers, readNames);
}

/** The content of `DATA/drained-workers.json`. */
export function drainedWorkersText(names: Iterable<string>): string {
  return JSON.stringify([...names]);
}

/** Remembers names in memory, for a process without a data folder of its own. */
export function drainedInMemory(): DrainedWorkers {
  const names = new Set<string>();
  return {
    has: (name) => names.has(name),
    async set(name, isDrained) {
      const wasDrained = names.has(name);
      if (isDrained) names.add(name);
      else names.delete(name);
      return wasDrained;
    },
  };
}

function readNames(value: unknown): readonly string[] | null {
  const isText = (one: unknown): one is string => typeof one === 'string';
  return Array.isArray(value) && value.every(isText) ? value : null;
}
