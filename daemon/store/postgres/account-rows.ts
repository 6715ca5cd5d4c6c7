import { sql } from 'kysely';
import { VencError } from '../../../src/shared/errors.js';
import { defaultAccountId } from '../../jobs/job.js';
import { type AccountsDocument, workerKeys } from '../accounts/accounts-document.js';
import type { KeyUseTimes } from '../accounts/key-use-recorder.js';
import { newKey, requireValidKey } from '../accounts/keys.js';
import { withOwner } from '../accounts/owner.js';
import { decrypt, encrypt } from '../credentials/credentials-file.js';
import type { PostgresDatabase } from './open-database.js';
import type { DatabaseTransaction } from './schema.js';

/** The channel that reports changed accounts. */
export const accountsChannel = 'venc_accounts';

/** Names what is encrypted, so that values cannot be exchanged. Saved credentials cannot have such names. */
const secretName = { notifications: 'venc:notification-secret', owner: 'venc:owner-key' } as const;

/** Encrypts a secret of an account. */
function seal(secret: string, key: Buffer, accountId: string, name: string): string {
  return encrypt({ user: '', secret }, key, { accountId, name });
}

/** Decrypts a secret of an account. Throws `UsageError` if the key is another one. */
function unseal(encrypted: string, key: Buffer, accountId: string, name: string): string {
  const entry = { accountId, name, scheme: null, isDefault: false, createdAt: '', encrypted };
  try {
    return decrypt(entry, key).secret;
  } catch (cause) {
    throw new VencError('UsageError', 'The secrets in the database were encrypted with another key.', {
      cause,
      hint: 'set VENC_DATABASE_KEY to the key of the other daemons of this database, or copy their file database-key to the data folder',
    });
  }
}

/** Reads all accounts, their keys, and the keys of workers. Rejects with `UsageError` if they were encrypted with another key. */
export async function readAccountRows(
  queries: PostgresDatabase['queries'],
  encryptionKey: Buffer,
): Promise<AccountsDocument> {
  const accounts = await queries
    .selectFrom('accounts')
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const keys = await queries.selectFrom('api_keys').selectAll().orderBy('created_at').orderBy('id').execute();
  const workers = await queries
    .selectFrom('worker_keys')
    .select(['id', 'hash', 'created_at as createdAt'])
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return {
    accounts: accounts.map((row) => ({
      id: row.id,
      name: row.name,
      isIntegration: row.is_integration,
      createdAt: row.created_at,
      notificationSecret: unseal(row.notification_secret, encryptionKey, row.id, secretName.notifications),
    })),
    keys: keys.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      kind: row.kind,
      hash: row.hash,
      createdAt: row.created_at,
    })),
    workers,
  };
}

/** Writes what differs between two versions of the accounts. */
export async function writeAccountRows(
  transaction: DatabaseTransaction,
  { before, after }: { readonly before: AccountsDocument; readonly after: AccountsDocument },
  encryptionKey: Buffer,
): Promise<void> {
  const accounts = difference(before.accounts, after.accounts);
  for (const id of accounts.gone) await transaction.deleteFrom('accounts').where('id', '=', id).execute();
  for (const { id, name, isIntegration, createdAt, notificationSecret } of accounts.changed) {
    const row = {
      name,
      is_integration: isIntegration,
      created_at: createdAt,
      notification_secret: seal(notificationSecret, encryptionKey, id, secretName.notifications),
    };
    await transaction
      .insertInto('accounts')
      .values({ id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
  }
  const keys = difference(before.keys, after.keys);
  for (const id of keys.gone) await transaction.deleteFrom('api_keys').where('id', '=', id).execute();
  for (const { id, accountId, kind, hash, createdAt } of keys.changed) {
    const row = { account_id: accountId, kind, hash, created_at: createdAt };
    await transaction
      .insertInto('api_keys')
      .values({ id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
  }
  const workers = difference(workerKeys(before), workerKeys(after));
  for (const id of workers.gone) await transaction.deleteFrom('worker_keys').where('id', '=', id).execute();
  for (const { id, hash, createdAt } of workers.changed) {
    const row = { hash, created_at: createdAt };
    await transaction
      .insertInto('worker_keys')
      .values({ id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
  }
}

/** The owner's key; null if there is none. */
export async function readOwner(
  queries: PostgresDatabase['queries'],
  encryptionKey: Buffer,
  accountId: string,
): Promise<string | null> {
  const row = await queries.selectFrom('owner').select('encrypted_key').executeTakeFirst();
  return row === undefined ? null : unseal(row.encrypted_key, encryptionKey, accountId, secretName.owner);
}

/** Removes the owner's key. */
export async function removeOwner(transaction: DatabaseTransaction): Promise<void> {
  await transaction.deleteFrom('owner').execute();
}

/** The last uses of all keys. */
export async function readKeyUseRows(queries: PostgresDatabase['queries']): Promise<KeyUseTimes> {
  const rows = await queries
    .selectFrom('api_keys')
    .select(['id', 'last_used_at'])
    .unionAll(queries.selectFrom('worker_keys').select(['id', 'last_used_at']))
    .execute();
  return Object.fromEntries(
    rows.flatMap(({ id, last_used_at: usedAt }) => (usedAt === null ? [] : [[id, usedAt.toISOString()]])),
  );
}

/** Replaces the owner's key. */
export async function writeOwner(
  transaction: DatabaseTransaction,
  ownerKey: string,
  { encryptionKey, accountId }: { readonly encryptionKey: Buffer; readonly accountId: string },
): Promise<void> {
  await removeOwner(transaction);
  const sealed = seal(ownerKey, encryptionKey, accountId, secretName.owner);
  await transaction.insertInto('owner').values({ encrypted_key: sealed }).execute();
}

function difference<Item extends { readonly id: string }>(before: readonly Item[], after: readonly Item[]) {
  const known = new Map(before.map((item) => [item.id, item]));
  const ids = new Set(after.map(({ id }) => id));
  return {
    gone: [...known.keys()].filter((id) => !ids.has(id)),
    changed: after.filter((item) => known.get(item.id) !== item),
  };
}

/** The accounts of a database, and the key that encrypts their secrets. */
export interface AccountSource {
  readonly queries: PostgresDatabase['queries'];
  readonly encryptionKey: Buffer;
}

/** Reads all accounts and keys at one moment, so that no key is seen without its account. Rejects as `readAccountRows` does. */
export function readAccountSnapshot({ queries, encryptionKey }: AccountSource): Promise<AccountsDocument> {
  return queries
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((transaction) => readAccountRows(transaction, encryptionKey));
}

/** Changes the accounts in a transaction that no other process can interleave, and notifies all processes. If `work` rejects, nothing is changed. */
export function changeAccountRows<T>(
  { queries, encryptionKey }: AccountSource,
  work: (
    before: AccountsDocument,
    transaction: DatabaseTransaction,
  ) => Promise<{ readonly after: AccountsDocument; readonly result: T }>,
): Promise<T> {
  return queries.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtext(${accountsChannel}))`.execute(transaction);
    const before = await readAccountRows(transaction, encryptionKey);
    const { after, result } = await work(before, transaction);
    if (after !== before) {
      await writeAccountRows(transaction, { before, after }, encryptionKey);
      await sql`select pg_notify(${accountsChannel}, '')`.execute(transaction);
    }
    return result;
  });
}

/**
 * Ensures that there is an account `default` and that the owner's key is a full-access key of it: `given`, else the stored one, else a new
 * one. Resolves to that key.
 */
export async function ensureOwnerRow(source: AccountSource, given?: string): Promise<string> {
  if (given !== undefined) requireValidKey(given);
  const { encryptionKey } = source;
  return changeAccountRows(source, async (before, transaction) => {
    const storedKey = await readOwner(transaction, encryptionKey, defaultAccountId);
    const ownerKey = given ?? storedKey ?? newKey();
    const after = withOwner(before, ownerKey, new Date());
    if (ownerKey !== storedKey)
      await writeOwner(transaction, ownerKey, { encryptionKey, accountId: defaultAccountId });
    return { after, result: ownerKey };
  });
}
