import { withFirstAccounts } from '../../store/accounts/accounts.js';
import type { SetupStore } from '../../store/accounts/setup-store.js';
import { postgresSetup } from '../../store/postgres/accounts.js';
import { openPostgresDatabase } from '../../store/postgres/connection.js';
import { openEncryptionKey } from '../../store/postgres/credentials.js';

/** The options of `openDatabaseSetup`. */
interface DatabaseSetupOptions {
  /** The folder with the key of the secrets in the database, unless `databaseKey` is one. */
  readonly dataFolder: string;
  readonly databaseKey: string | undefined;
}

/**
 * The accounts, keys and saved credentials of a database. Running daemons apply changes within moments. Rejects as
 * `openPostgresDatabase` and `openDatabaseKey` do.
 */
export async function openDatabaseSetup(
  dsn: string,
  { dataFolder, databaseKey }: DatabaseSetupOptions,
): Promise<SetupStore> {
  // A connection that is lost fails the statement that needs it, and so the command.
  const database = await openPostgresDatabase(dsn, { log: () => undefined, maxConnections: 2 });
  try {
    const encryptionKey = await openEncryptionKey(database.queries, { dataFolder, given: databaseKey });
    const setup = withFirstAccounts(postgresSetup({ database, encryptionKey }));
    return { ...setup, close: () => database.close() };
  } catch (error) {
    await database.close();
    throw error;
  }
}
