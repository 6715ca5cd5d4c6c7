import {
  type FolderJobStore,
  type OpenJobStoreOptions,
  openJobStore,
} from '../../daemon/store/jobs/json-job-store.js';
import type { StoreHarness } from '../contracts/job-store/store-facts.js';
import { FailingDisk } from './failing-disk.js';
import { tempFolder } from './temp.js';

/** A data folder for JSON stores, with the log that they write. */
export interface JsonStoreHarness extends StoreHarness {
  readonly folder: string;
  readonly logLines: string[];
  open(options?: Partial<OpenJobStoreOptions>): Promise<FolderJobStore>;
}

/** Creates an empty data folder on a disk that can be made to fail. */
export async function createJsonStoreHarness(): Promise<JsonStoreHarness> {
  const folder = tempFolder();
  const logLines: string[] = [];
  let disk = new FailingDisk();
  const log = (level: string, message: string) => logLines.push(`${level} ${message}`);
  return {
    folder,
    logLines,
    failures: {
      crashAt: (step, kind) => disk.crashAt(step, kind),
      failWithoutSpaceAt: (step) => disk.failWithoutSpaceAt(step),
      get hasTriggered() {
        return disk.hasTriggered;
      },
    },
    open: (options) => openJobStore(folder, { disk, log, ...options }),
    async crash(kind) {
      disk.crash(kind);
      // The next store gets a new disk, so that steps of the crashed store keep failing.
      disk = new FailingDisk(disk);
    },
  };
}
