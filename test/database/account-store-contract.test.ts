import { randomBytes } from 'node:crypto';
import { openAccounts } from '../../daemon/store/accounts/accounts.js';
import type { AccountsDocument } from '../../daemon/store/accounts/accounts-document.js';
import { postgresSetup } from '../../daemon/store/postgres/accounts.js';
import { openPostgresDatabase, type PostgresDatabase } from '../../daemon/store/postgres/connection.js';
import { accountStoreContract } from '../contracts/account-store.js';
import { findPostgres, startPostgres } from '../helpers/postgres.js';
import { skipSuite } from '../helpers/servers/find-program.js';

const found = findPostgres();
const log = () => undefined;

if ('missing' in found) skipSuite('the PostgreSQL account store', found);
else {
  const server = await startPostgres(found.bin);
  const open: PostgresDatabase[] = [];
  const close = async () => {
    for (const database of open.splice(0)) await database.close();
  };
  const createHarness = async () => {
    await close();
    const name = await server.createDatabase();
    const encryptionKey = randomBytes(32);
    const openSetup = async () => {
      const database = await openPostgresDatabase(server.dsn(name), { log });
      open.push(database);
      return postgresSetup({ database, encryptionKey });
    };
    // Another process of the same database.
    const other = await openSetup();
    return {
      open: async () => openAccounts(await openSetup(), { log }),
      stored: () => other.accounts(),
      replace: (document: AccountsDocument) => other.update((locked) => locked.replaceAccounts(document)),
      keyUses: () => other.keyUses(),
      async text() {
        const tables = ['accounts', 'api_keys', 'worker_keys', 'owner'];
        const rows = await Promise.all(
          tables.map((table) => server.query(name, `select * from venc.${table}`)),
        );
        return JSON.stringify(rows);
      },
    };
  };
  accountStoreContract('the PostgreSQL account store', createHarness, {
    async end() {
      await close();
      await server.end();
    },
  });
}
