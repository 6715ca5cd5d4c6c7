import { sql } from 'kysely';
import { isVencError, VencError } from '../../../src/shared/errors.js';
import type { Log } from '../../../src/shared/util/log.js';
import { defaultAccountId } from '../../jobs/job.js';
import type { OpenHoursSpan, Pause, Presets, Quotas, StoredSession } from '../account-store.js';
import { type AccountsDocument, type StoredWorkerKey, workerKeys } from '../accounts/accounts-document.js';
import type { KeyUseTimes } from '../accounts/key-use-recorder.js';
import type { FollowedAccounts, SetupStore } from '../accounts/setup-store.js';
import { decrypt, encrypt } from '../credentials/credentials-file.js';
import { sendMessages } from './changes.js';
import type { PostgresDatabase } from './connection.js';
import { listCredentialRows, writeCredentialRows } from './credentials.js';
import { lockUntilCommit } from './locks.js';
import type { DatabaseSchema, DatabaseTransaction } from './schema.js';

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

/**
 * Reads all accounts, their keys, and the keys of workers. Rejects with `UsageError` if they were encrypted with
 * another key.
 */
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
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const retired = await queries.selectFrom('retired_keys').select('hash').orderBy('hash').execute();
  return {
    accounts: accounts.map((row) => ({
      id: row.id,
      name: row.name,
      isIntegration: row.is_integration,
      ...(row.integration_since === null ? {} : { integrationSince: row.integration_since }),
      createdAt: row.created_at,
      notificationSecret: unseal(row.notification_secret, encryptionKey, row.id, secretName.notifications),
      ...(row.pause === null ? {} : { pause: JSON.parse(row.pause) as Pause }),
      ...(row.open_hours === null ? {} : { openHours: JSON.parse(row.open_hours) as OpenHoursSpan }),
      ...(row.quotas === null ? {} : { quotas: JSON.parse(row.quotas) as Quotas }),
      ...(row.presets === null ? {} : { presets: JSON.parse(row.presets) as Presets }),
      ...(row.sessions === null ? {} : { sessions: JSON.parse(row.sessions) as readonly StoredSession[] }),
    })),
    keys: keys.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      kind: row.kind,
      ...(row.is_viewer ? { isViewer: true } : {}),
      ...keyOfRow(row),
    })),
    workers: workers.map((row) => ({ id: row.id, ...keyOfRow(row) })),
    ...(retired.length === 0 ? {} : { retired: retired.map(({ hash }) => hash) }),
  };
}

type KeyColumns = Pick<DatabaseSchema['worker_keys'], 'hash' | 'created_at' | 'name' | 'expires_at'>;

function keyOfRow({ hash, created_at: createdAt, name, expires_at: expiresAt }: KeyColumns) {
  return {
    ...{ hash, createdAt },
    ...(name === null ? {} : { name }),
    ...(expiresAt === null ? {} : { expiresAt }),
  };
}

function rowOfKey({ hash, createdAt, name, expiresAt }: StoredWorkerKey): KeyColumns {
  return { hash, created_at: createdAt, name: name ?? null, expires_at: expiresAt ?? null };
}

/** Writes what differs between two versions of the accounts. */
export async function writeAccountRows(
  transaction: DatabaseTransaction,
  { before, after }: { readonly before: AccountsDocument; readonly after: AccountsDocument },
  encryptionKey: Buffer,
): Promise<void> {
  const accounts = difference(before.accounts, after.accounts);
  for (const id of accounts.gone) await transaction.deleteFrom('accounts').where('id', '=', id).execute();
  for (const account of accounts.changed) {
    const {
      id,
      name,
      isIntegration,
      integrationSince,
      createdAt,
      notificationSecret,
      pause,
      openHours,
      presets,
      quotas,
      sessions,
    } = account;
    const row = {
      name,
      is_integration: isIntegration,
      integration_since: integrationSince ?? null,
      created_at: createdAt,
      notification_secret: seal(notificationSecret, encryptionKey, id, secretName.notifications),
      pause: pause === undefined ? null : JSON.stringify(pause),
      open_hours: openHours === undefined ? null : JSON.stringify(openHours),
      quotas: quotas === undefined ? null : JSON.stringify(quotas),
      presets: presets === undefined ? null : JSON.stringify(presets),
      sessions: sessions === undefined ? null : JSON.stringify(sessions),
    };
    await transaction
      .insertInto('accounts')
      .values({ id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
  }
  const keys = difference(before.keys, after.keys);
  for (const id of keys.gone) await transaction.deleteFrom('api_keys').where('id', '=', id).execute();
  for (const { id, accountId, kind, isViewer = false, ...key } of keys.changed) {
    const row = { account_id: accountId, kind, is_viewer: isViewer, ...rowOfKey({ id, ...key }) };
    await transaction
      .insertInto('api_keys')
      .values({ id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
  }
  const workers = difference(workerKeys(before), workerKeys(after));
  for (const id of workers.gone) await transaction.deleteFrom('worker_keys').where('id', '=', id).execute();
  for (const { id, ...key } of workers.changed) {
    const row = rowOfKey({ id, ...key });
    await transaction
      .insertInto('worker_keys')
      .values({ id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
  }
  const { retired = [] } = after;
  if (retired.length === 0) return;
  const rows = retired.map((hash) => ({ hash }));
  await transaction
    .insertInto('retired_keys')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The owner's key; null if there is none. */
export async function readOwner(
  queries: PostgresDatabase['queries'],
  encryptionKey: Buffer,
): Promise<string | null> {
  const row = await queries.selectFrom('owner').select('encrypted_key').executeTakeFirst();
  if (row === undefined) return null;
  return unseal(row.encrypted_key, encryptionKey, defaultAccountId, secretName.owner);
}

/** Replaces the owner's key; null removes it. */
export async function writeOwner(
  transaction: DatabaseTransaction,
  ownerKey: string | null,
  encryptionKey: Buffer,
): Promise<void> {
  await transaction.deleteFrom('owner').execute();
  if (ownerKey === null) return;
  const sealed = seal(ownerKey, encryptionKey, defaultAccountId, secretName.owner);
  await transaction.insertInto('owner').values({ encrypted_key: sealed }).execute();
}

/** The last uses of all keys. */
async function readKeyUseRows(queries: PostgresDatabase['queries']): Promise<KeyUseTimes> {
  const rows = await queries
    .selectFrom('api_keys')
    .select(['id', 'last_used_at'])
    .unionAll(queries.selectFrom('worker_keys').select(['id', 'last_used_at']))
    .execute();
  return Object.fromEntries(
    rows.flatMap(({ id, last_used_at: usedAt }) => (usedAt === null ? [] : [[id, usedAt.toISOString()]])),
  );
}

function difference<Item extends { readonly id: string }>(before: readonly Item[], after: readonly Item[]) {
  const known = new Map(before.map((item) => [item.id, item]));
  const ids = new Set(after.map(({ id }) => id));
  return {
    gone: [...known.keys()].filter((id) => !ids.has(id)),
    changed: after.filter((item) => known.get(item.id) !== item),
  };
}

/**
 * The accounts of a database, and the key that encrypts their secrets: 32 bytes, the same for all daemons of a
 * database.
 */
interface AccountSource {
  readonly database: PostgresDatabase;
  readonly encryptionKey: Buffer;
}

/**
 * The accounts, keys and saved credentials of a database, which several processes share. Reading rejects with
 * `UsageError` if the secrets were encrypted with another key.
 */
export function postgresSetup({ database, encryptionKey }: AccountSource): SetupStore {
  const { queries } = database;
  // At one moment, so that no key is seen without its account.
  const accounts = () =>
    queries
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((transaction) => readAccountRows(transaction, encryptionKey));
  return {
    name: database.name,
    accounts,
    ownerKey: () => readOwner(queries, encryptionKey),
    update: (work) =>
      queries.transaction().execute(async (transaction) => {
        await lockUntilCommit(transaction, 'accounts');
        const before = await readAccountRows(transaction, encryptionKey);
        let after = before;
        const result = await work({
          accounts: before,
          replaceAccounts: async (replaced) => {
            after = replaced;
          },
          ownerKey: () => readOwner(transaction, encryptionKey),
          replaceOwnerKey: (key) => writeOwner(transaction, key, encryptionKey),
          credentialsKey: async () => encryptionKey,
          credentials: () => listCredentialRows(transaction),
          replaceCredentials: (credentials) => writeCredentialRows(transaction, credentials),
        });
        if (after !== before) {
          await writeAccountRows(transaction, { before, after }, encryptionKey);
          await sendMessages(transaction, 'accounts', [{}]);
        }
        return result;
      }),
    follow: (apply, log) => followAccounts({ database, read: async () => apply(await accounts()), log }),
    keyUses: () => readKeyUseRows(queries),
    addKeyUses: (uses) => addKeyUseRows(queries, uses),
    credentials: () => listCredentialRows(queries),
    close: async () => undefined,
  };
}

async function followAccounts({
  database,
  read,
  log,
}: {
  readonly database: PostgresDatabase;
  readonly read: () => Promise<void>;
  readonly log: Log;
}): Promise<FollowedAccounts> {
  let reading: Promise<void> = Promise.resolve();
  // One after the other, so that an older read does not replace a newer one.
  const readNext = () => {
    const next = reading.then(read);
    reading = next.catch(() => undefined);
    return next;
  };
  const logFailure = (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    log('error', `The accounts could not be read, and the previous keys stay valid: ${reason}`);
  };
  const onChange = () => void readNext().catch(logFailure);
  // Before the first read, so that no change in between is missed.
  const unsubscribe = database.channel.subscribe('accounts', {
    onMessage: onChange,
    onGap: onChange,
  });
  await readNext();
  return {
    refresh: () =>
      readNext().catch((error: unknown) => {
        // The caller answers with it: it does not know what a key is that it has not seen.
        if (isVencError(error, 'UnavailableError')) throw error;
        logFailure(error);
      }),
    async stop() {
      unsubscribe();
      await reading;
    },
  };
}

async function addKeyUseRows(queries: PostgresDatabase['queries'], uses: KeyUseTimes): Promise<void> {
  await sql`with
    used (id, at) as (
      select * from unnest(${Object.keys(uses)}::text[], ${Object.values(uses)}::timestamptz[])
    ),
    updated as (
      update venc.api_keys set last_used_at = greatest(last_used_at, used.at)
      from used where api_keys.id = used.id
    )
    update venc.worker_keys set last_used_at = greatest(last_used_at, used.at)
    from used where worker_keys.id = used.id`.execute(queries);
}
