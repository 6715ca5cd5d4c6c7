import { openDatabaseKey } from '../credentials/database-key.js';
import type { PostgresDatabase } from './open-database.js';

/**
 * The key that encrypts the secrets in an open database. Rejects as `openDatabaseKey` does, which creates a key only if the database contains
 * nothing that is encrypted.
 */
export function openEncryptionKey(
  queries: PostgresDatabase['queries'],
  options: { readonly dataFolder: string; readonly given: string | undefined },
): Promise<Buffer> {
  return openDatabaseKey({ ...options, isUnused: () => hasNoSecrets(queries) });
}

async function hasNoSecrets(queries: PostgresDatabase['queries']): Promise<boolean> {
  const rows = await Promise.all([
    queries.selectFrom('accounts').select('id').limit(1).execute(),
    queries.selectFrom('owner').select('encrypted_key').limit(1).execute(),
    queries.selectFrom('credentials').select('name').limit(1).execute(),
  ]);
  return rows.every(({ length }) => length === 0);
}
