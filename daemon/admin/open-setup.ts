import { VencError } from '../../src/shared/errors.js';
import type { AccountsDocument } from '../store/accounts/accounts-document.js';
import { damagedAccounts, readAccounts, withAccountsLock } from '../store/accounts/accounts-file.js';
import { keyUsesDocument } from '../store/accounts/key-use-recorder.js';
import { ensureOwner, readOwnerKey, removeOwnerKey } from '../store/accounts/owner.js';
import { credentialsDocument, openCredentialsKey } from '../store/credentials/credentials-file.js';
import { type DataLayout, dataLayout } from '../store/data-folder/layout.js';
import type { SetupStore } from './setup-store.js';

/** Where accounts, keys and saved credentials are. */
interface SetupPlace {
  readonly dataFolder: string;
  /** The address of the database; null if they are in the data folder. */
  readonly database: string | null;
  /** The value of `VENC_DATABASE_KEY`. Undefined and empty are the same. */
  readonly databaseKey: string | undefined;
}

/**
 * Lets `work` use the accounts, keys and saved credentials of a data folder or, if there is one, of a database. Rejects as `openDatabaseSetup`
 * and `work` do.
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
  const layout = dataLayout(dataFolder);
  const accounts = () => readOrCreateAccounts(layout);
  const damagedError = (reason: string) =>
    new VencError('UsageError', `The file ${layout.credentials} is damaged: ${reason}.`, {
      hint: 'Restore it from a backup, or remove it and add the credentials again.',
    });
  const credentials = async () => (await credentialsDocument(layout, { damagedError }).load()).credentials;
  return {
    name: `the data folder ${dataFolder}`,
    accounts,
    credentials,
    async update(work) {
      await accounts();
      return withAccountsLock(layout, (locked) =>
        work({
          accounts: locked.document,
          replaceAccounts: (after) => locked.replace(after),
          ownerKey: () => readOwnerKey(layout),
          removeOwnerKey: () => removeOwnerKey(layout),
          credentialsKey: () => openCredentialsKey(layout, locked.files),
          credentials,
          replaceCredentials: (after) =>
            credentialsDocument(layout, { damagedError, files: locked.files }).update(() => ({
              credentials: after,
            })),
        }),
      );
    },
    keyUses: () => keyUsesDocument(layout.keyUses).load(),
    close: async () => undefined,
  };
}

async function readOrCreateAccounts(layout: DataLayout): Promise<AccountsDocument> {
  const found = await readAccounts(layout);
  if (found.kind === 'damaged') throw await damagedAccounts(layout, found.reason);
  return found.kind === 'whole' ? found.data : (await ensureOwner(layout)).document;
}
