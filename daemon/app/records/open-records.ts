import { type Disk, readTextFile } from '../../../src/shared/util/disk.js';
import { createLocalQueue, recover, resumeClaims } from '../../queue/local/local-queue.js';
import { Workers } from '../../queue/remote/workers.js';
import { openAccounts } from '../../store/accounts/accounts.js';
import { folderSetup } from '../../store/accounts/folder-setup.js';
import { openSavedCredentials } from '../../store/credentials/saved-credentials.js';
import { openDrainedWorkers } from '../../store/data-folder/drained-workers.js';
import { dataLayout } from '../../store/data-folder/layout.js';
import { openJobStore } from '../../store/jobs/json-job-store.js';
import type { AppOptions } from '../app-options.js';
import type { Records, RecordsOptions, SharedWork } from './records.js';

/** Opens the records of a daemon: in its data folder, or in the database of `--database`. */
export async function openRecords(
  { database = null, isUsageRebuilt = false }: AppOptions,
  parts: Omit<FolderRecordsOptions, 'isUsageRebuilt'>,
): Promise<Records> {
  if (database === null) return openFolderRecords({ ...parts, isUsageRebuilt });
  // Loaded only here, with the packages for the database.
  const { openDatabaseRecords } = await import('./database-records.js');
  return openDatabaseRecords({ ...parts, dsn: database });
}

/** The options of records in a folder. */
interface FolderRecordsOptions extends RecordsOptions {
  readonly disk: Disk;
  readonly isUsageRebuilt: boolean;
}

/** Opens the records in a data folder, which this daemon has to itself. */
async function openFolderRecords(options: FolderRecordsOptions): Promise<Records> {
  const { dataFolder, now, randomToken, log } = options;
  const store = await openJobStore(dataFolder, options);
  if ((await readTextFile(dataLayout(dataFolder).databaseKey)) !== null)
    log(
      'warn',
      `The data folder ${dataFolder} belongs to a daemon with a database, and this daemon uses only the jobs in the folder. If that is not intended, stop it, and start it with --database or VENC_DATABASE.`,
    );
  const setup = folderSetup(dataFolder, options.disk);
  const accounts = await openAccounts(setup, { log, now }).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const savedCredentials = openSavedCredentials(dataFolder);
  let sharedWork: SharedWork | null = null;
  return {
    store,
    accounts,
    setup,
    savedCredentials,
    credentialsOfRun: () => savedCredentials,
    ensureOwner: (key) => accounts.ensureOwner(key),
    watchOwn: (listener) => void store.watch(listener),
    isOwnRun: () => true,
    openQueue: async (parts) => createLocalQueue({ store, now, randomToken, log, ...parts }),
    async openWorkers(leaseMs) {
      const drained = await openDrainedWorkers(dataFolder);
      return new Workers({ now, randomToken, leaseMs, drained });
    },
    resumeClaims: (resume) => resumeClaims(store, resume),
    recover: ({ queue, ...others }) => recover(store, queue, { now, log, ...others }),
    startSharedWork(open) {
      sharedWork = open();
      sharedWork.start();
    },
    closeSharedWork: async () => sharedWork?.close(),
    databaseProblem: null,
    async close() {
      await accounts.close();
      await store.close();
    },
  };
}
