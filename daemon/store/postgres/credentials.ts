import { createHmac } from 'node:crypto';
import { VencError } from '../../../src/shared/errors.js';
import { AtomicFiles } from '../../../src/shared/util/atomic-files.js';
import { chunksOf } from '../../../src/shared/util/collections.js';
import { readTextFile } from '../../../src/shared/util/disk.js';
import type { SavedCredentials } from '../../jobs/saved-credentials.js';
import {
  newCredentialsKey,
  parseCredentialsKey,
  type StoredCredential,
} from '../credentials/credentials-file.js';
import { savedCredentialsOf } from '../credentials/saved-credentials.js';
import { diskOfOwner, makeDataFolder } from '../data-folder/data-folder.js';
import { toWriteError } from '../data-folder/disk-errors.js';
import { dataLayout } from '../data-folder/layout.js';
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

/** The options of `openDatabaseKey`. */
interface DatabaseKeyOptions {
  readonly dataFolder: string;
  /** The value of `VENC_DATABASE_KEY`. Undefined and empty are the same. */
  readonly given: string | undefined;
  /** Whether the database contains nothing that is encrypted, so that a new key may be created. */
  readonly isUnused: () => Promise<boolean>;
}

/**
 * The key that encrypts the secrets in a database: 32 bytes, the same for all daemons of a database, and never stored
 * in it. It is that of `VENC_DATABASE_KEY`, else that of the file `database-key` in the data folder, else a new one,
 * which is written there. Rejects with `UsageError` if the given one is invalid, or if there is none and the database
 * needs an existing one.
 */
export async function openDatabaseKey({ dataFolder, given, isUnused }: DatabaseKeyOptions): Promise<Buffer> {
  if (given !== undefined && given !== '') return parse(given, 'VENC_DATABASE_KEY');
  const path = dataLayout(dataFolder).databaseKey;
  const stored = await readTextFile(path);
  if (stored !== null) return parse(stored, path);
  if (!(await isUnused()))
    throw new VencError('UsageError', 'The key that encrypts the secrets of the database is missing.', {
      hint: `set VENC_DATABASE_KEY to the content of the file database-key of another data folder, or copy that file to ${path}`,
    });
  const text = newCredentialsKey();
  await makeDataFolder(dataFolder);
  await new AtomicFiles(diskOfOwner(dataFolder), toWriteError).write(path, text);
  return parse(text, path);
}

/** A checksum that shows whether two keys are the same. */
export function checkOfKey(key: Buffer): string {
  return createHmac('sha256', key).update('venc database key').digest('hex').slice(0, 16);
}

function parse(text: string, place: string): Buffer {
  const key = parseCredentialsKey(text);
  if (key !== null) return key;
  throw new VencError('UsageError', `The key in ${place} is not 32 bytes in base64.`, {
    hint: 'use the content of the file database-key of the data folder in which it was created',
  });
}
