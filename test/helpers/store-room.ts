import type { JobStore } from '../../daemon/store/job-store.js';
import { type OpenJobStoreOptions, openJobStore } from '../../daemon/store/jobs/json-job-store.js';
import type { StoreRoom } from '../contracts/job-store/store-facts.js';
import { FaultyDisk } from './faulty-disk.js';
import { tempFolder } from './temp.js';

/** A data folder of its own for JSON stores, with the log that they write. */
export interface JsonStoreRoom extends StoreRoom {
  readonly folder: string;
  readonly logLines: string[];
  open(options?: Partial<OpenJobStoreOptions>): Promise<JobStore>;
}

/** Makes an empty data folder on a disk that can be made to fail. */
export async function jsonStoreRoom(): Promise<JsonStoreRoom> {
  const folder = tempFolder();
  const logLines: string[] = [];
  let disk = new FaultyDisk();
  const log = (level: string, message: string) => logLines.push(`${level} ${message}`);
  return {
    folder,
    logLines,
    faults: {
      dieAt: (step, kind) => disk.dieAt(step, kind),
      noRoomAt: (step) => disk.noRoomAt(step),
      get hasStruck() {
        return disk.hasStruck;
      },
    },
    open: (options) => openJobStore(folder, { disk, log, ...options }),
    async die(kind) {
      disk.die(kind);
      // A disk of its own for the next store, so that what the dead one still tries goes on failing.
      disk = new FaultyDisk(disk);
    },
  };
}
