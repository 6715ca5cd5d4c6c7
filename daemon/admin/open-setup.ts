import { withFirstAccounts } from '../store/accounts/accounts.js';
import { folderSetup } from '../store/accounts/folder-setup.js';
import type { SetupStore } from '../store/accounts/setup-store.js';

/** Where accounts, keys and saved credentials are. */
interface SetupPlace {
  readonly dataFolder: string;
  /** The address of the database; null if they are in the data folder. */
  readonly database: string | null;
  /** The value of `VENC_DATABASE_KEY`. Undefined and empty are the same. */
  readonly databaseKey: string | undefined;
}

/**
 * Lets `work` use the accounts, keys and saved credentials of a data folder or, if there is one, of a database. Rejects
 * as `openDatabaseSetup` and `work` do.
 */
export async function withSetup<T>(place: SetupPlace, work: (setup: SetupStore) => Promise<T>): Promise<T> {
  const setup = await open(place);
  try {
    return await work(setup);
  } finally {
    await setup.close();
  }
}

async function open({ dataFolder, database, databaseKey }: SetupPlace): Promise<SetupStore> {
  if (database === null) return openFolderSetup(dataFolder);
  // Loaded only here, with the packages for the database.
  const { openDatabaseSetup } = await import('./database/database-setup.js');
  return openDatabaseSetup(database, { dataFolder, databaseKey });
}

/** The accounts, keys and saved credentials of a data folder. A running daemon applies changes within a second. */
export function openFolderSetup(dataFolder: string): SetupStore {
  return withFirstAccounts(folderSetup(dataFolder));
}
