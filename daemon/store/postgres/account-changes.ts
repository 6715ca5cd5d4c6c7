import { sql } from 'kysely';
import { defaultAccountId } from '../../jobs/job.js';
import type { AccountsDocument } from '../accounts/accounts-document.js';
import { newKey, requireValidKey } from '../accounts/keys.js';
import { withOwner } from '../accounts/owner.js';
import { accountsChannel, readAccountRows, readOwner, writeAccountRows, writeOwner } from './account-rows.js';
import type { PostgresDatabase } from './open-database.js';
import type { DatabaseTransaction } from './schema.js';

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
