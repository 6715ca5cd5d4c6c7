import { chunksOf } from '../../../src/shared/util/collections.js';
import type { SavedCredentials } from '../../jobs/saved-credentials.js';
import type { StoredCredential } from '../credentials/credentials-file.js';
import { openDatabaseKey } from '../credentials/database-key.js';
import { savedCredentialsOf } from '../credentials/saved-credentials.js';
import type { PostgresDatabase } from './connection.js';
import { type DatabaseTransaction, maxRowsPerInsert } from './schema.js';

/**
 * Opens the saved credentials of a database. They are read at each use and decrypted with a key that the database does
 * not contain: 32 bytes, the same for all daemons of a database.
 */
export function openPostgresCredentials(
  { queries }: PostgresDatabase,
  encryptionKey: Buffer,
): SavedCredentials {
  return savedCredentialsOf({
    list: (accountId) => listCredentialRows(queries, accountId),
    readKey: async () => encryptionKey,
  });
}

/** All saved credentials, or those of an account, in the order of their creation. */
export async function listCredentialRows(
  queries: PostgresDatabase['queries'],
  accountId?: string,
): Promise<readonly StoredCredential[]> {
  const all = queries
    .selectFrom('credentials')
    .selectAll()
    .orderBy('created_at')
    .orderBy('account_id')
    .orderBy('name');
  const rows = await (accountId === undefined ? all : all.where('account_id', '=', accountId)).execute();
  return rows.map((row) => ({
    accountId: row.account_id,
    name: row.name,
    scheme: row.scheme,
    isDefault: row.is_default,
    createdAt: row.created_at,
    encrypted: row.encrypted,
  }));
}

/** Replaces all saved credentials. */
export async function writeCredentialRows(
  transaction: DatabaseTransaction,
  credentials: readonly StoredCredential[],
): Promise<void> {
  await transaction.deleteFrom('credentials').execute();
  const rows = credentials.map(({ accountId, name, scheme, isDefault, createdAt, encrypted }) => ({
    ...{ account_id: accountId, name, scheme, encrypted },
    ...{ is_default: isDefault, created_at: createdAt },
  }));
  for (const some of chunksOf(rows, maxRowsPerInsert))
    await transaction.insertInto('credentials').values(some).execute();
}

/**
 * The key that encrypts the secrets in an open database. Rejects as `openDatabaseKey` does, which creates a key only if
 * the database contains nothing that is encrypted.
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
