import { defaultAccountId } from '../../jobs/job.js';
import {
  changeAccountRows,
  ensureOwnerRow,
  readAccountSnapshot,
  readKeyUseRows,
  readOwner,
  removeOwner,
} from '../../store/postgres/account-rows.js';
import { openPostgresDatabase } from '../../store/postgres/open-database.js';
import {
  listCredentialRows,
  openEncryptionKey,
  writeCredentialRows,
} from '../../store/postgres/postgres-credentials.js';
import type { SetupStore } from '../setup-store.js';

/** The options of `openDatabaseSetup`. */
interface DatabaseSetupOptions {
  /** The folder with the key of the secrets in the database, unless `databaseKey` is one. */
  readonly dataFolder: string;
  readonly databaseKey: string | undefined;
}

/**
 * The accounts, keys and saved credentials of a database. Running daemons apply changes within moments. Rejects as `openPostgresDatabase` and
 * `openDatabaseKey` do.
 */
export async function openDatabaseSetup(
  dsn: string,
  { dataFolder, databaseKey }: DatabaseSetupOptions,
): Promise<SetupStore> {
  // A connection that is lost fails the statement that needs it, and so the command.
  const database = await openPostgresDatabase(dsn, { log: () => undefined, maxConnections: 2 });
  const { queries } = database;
  try {
    const encryptionKey = await openEncryptionKey(queries, { dataFolder, given: databaseKey });
    const source = { queries, encryptionKey };
    const accounts = async () => {
      const found = await readAccountSnapshot(source);
      if (found.accounts.length > 0) return found;
      await ensureOwnerRow(source);
      return readAccountSnapshot(source);
    };
    return {
      name: database.name,
      accounts,
      async update(work) {
        await accounts();
        return changeAccountRows(source, async (before, transaction) => {
          let after = before;
          const result = await work({
            accounts: before,
            replaceAccounts: async (replaced) => {
              after = replaced;
            },
            ownerKey: () => readOwner(transaction, encryptionKey, defaultAccountId),
            removeOwnerKey: () => removeOwner(transaction),
            credentialsKey: async () => encryptionKey,
            credentials: () => listCredentialRows(transaction),
            replaceCredentials: (credentials) => writeCredentialRows(transaction, credentials),
          });
          return { after, result };
        });
      },
      keyUses: () => readKeyUseRows(queries),
      credentials: () => listCredentialRows(queries),
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}
