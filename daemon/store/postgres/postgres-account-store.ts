import { sql } from 'kysely';
import { isVencError } from '../../../src/shared/errors.js';
import type { Log } from '../../../src/shared/util/log.js';
import type { Account, AccountStore, KeyDigest, KeyHolder, WorkerKey } from '../account-store.js';
import { type AccountsDocument, noAccounts } from '../accounts/accounts-document.js';
import { AccountsView } from '../accounts/accounts-view.js';
import { KeyUseRecorder, type KeyUseTimes } from '../accounts/key-use-recorder.js';
import { digestOf } from '../accounts/keys.js';
import {
  type AccountSource,
  accountsChannel,
  changeAccountRows,
  ensureOwnerRow,
  readAccountSnapshot,
  readKeyUseRows,
} from './account-rows.js';
import type { PostgresDatabase } from './open-database.js';

/** The options of `openPostgresAccounts`. */
interface PostgresAccountOptions {
  readonly database: PostgresDatabase;
  /** 32 bytes that encrypt the owner's key and the secrets of accounts. The same for all daemons of a database. */
  readonly encryptionKey: Buffer;
  /** Logs when changed accounts cannot be read, or the last uses of keys cannot be written. */
  readonly log: Log;
}

/** Accounts that several processes share. They follow the changes of the others until they are closed. */
interface PostgresAccountStore extends AccountStore {
  /** Replaces the accounts with the result of `change`, alone among all processes. If `change` throws, nothing is changed. */
  change(change: (document: AccountsDocument) => AccountsDocument): Promise<AccountsDocument>;
  /** The last uses of keys. */
  readKeyUses(): Promise<KeyUseTimes>;
  /** Writes the last uses of keys that are not written yet. */
  close(): Promise<void>;
}

/**
 * Opens the accounts of a database. They are held in memory; changes by other processes are applied within moments. Rejects with
 * `UsageError` if they were encrypted with another key.
 */
export async function openPostgresAccounts(options: PostgresAccountOptions): Promise<PostgresAccountStore> {
  const store = new SharedAccounts(options);
  await store.open();
  return store;
}

class SharedAccounts implements PostgresAccountStore {
  readonly #options: PostgresAccountOptions;
  readonly #queries: PostgresDatabase['queries'];
  readonly #view = new AccountsView(noAccounts);
  readonly #uses: KeyUseRecorder;
  /** Reads run one after the other, so that an older one does not replace a newer one. */
  #reading: Promise<void> = Promise.resolve();
  #unsubscribe: () => void = () => undefined;

  constructor(options: PostgresAccountOptions) {
    this.#options = options;
    this.#queries = options.database.queries;
    this.#uses = new KeyUseRecorder({
      write: (uses) => this.#writeUses(uses),
      onError: (error) => options.log('warn', `The last uses of keys could not be written: ${String(error)}`),
    });
  }

  /** Reads the accounts and begins to follow their changes. */
  async open(): Promise<void> {
    const refresh = () => void this.#read().catch((error: unknown) => this.#logFailure(error));
    // Before the first read, so that no change in between is missed.
    this.#unsubscribe = await this.#options.database.channel.subscribe(accountsChannel, {
      onNotification: refresh,
      onGap: refresh,
    });
    await this.#read();
  }

  holderOf(key: string): KeyHolder | null {
    return this.#view.holderOf(digestOf(key));
  }

  digestOf(key: string): KeyDigest {
    return digestOf(key);
  }

  holderOfDigest(digest: KeyDigest): KeyHolder | null {
    return this.#view.holderOf(digest);
  }

  workerKeyOf(digest: KeyDigest): WorkerKey | null {
    return this.#view.workerKeyOf(digest);
  }

  async refresh(): Promise<void> {
    await this.#read().catch((error: unknown) => {
      // The caller answers with it: it does not know what a key is that it has not seen.
      if (isVencError(error, 'UnavailableError')) throw error;
      this.#logFailure(error);
    });
  }

  account(id: string): Account | null {
    return this.#view.account(id);
  }

  recordUse(keyId: string): void {
    this.#uses.record(keyId);
  }

  watchKey(keyId: string, onRevoked: () => void): () => void {
    return this.#view.watchKey(keyId, onRevoked);
  }

  async ensureOwner(key?: string): Promise<string> {
    const ownerKey = await ensureOwnerRow(this.#source, key);
    await this.#read();
    return ownerKey;
  }

  async change(change: (document: AccountsDocument) => AccountsDocument): Promise<AccountsDocument> {
    const changed = await changeAccountRows(this.#source, async (before) => {
      const after = change(before);
      return { after, result: after };
    });
    await this.#read();
    return changed;
  }

  readKeyUses(): Promise<KeyUseTimes> {
    return readKeyUseRows(this.#queries);
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    await this.#uses.close();
    await this.#reading;
  }

  get #source(): AccountSource {
    return { queries: this.#queries, encryptionKey: this.#options.encryptionKey };
  }

  #logFailure(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.log('error', `The accounts could not be read, and the previous keys stay valid: ${reason}`);
  }

  #read(): Promise<void> {
    const reading = this.#reading.then(async () =>
      this.#view.replace(await readAccountSnapshot(this.#source)),
    );
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  async #writeUses(uses: KeyUseTimes): Promise<void> {
    const ids = Object.keys(uses);
    await sql`with
      used (id, at) as (select * from unnest(${ids}::text[], ${Object.values(uses)}::timestamptz[])),
      updated as (
        update venc.api_keys set last_used_at = greatest(last_used_at, used.at)
        from used where api_keys.id = used.id
      )
      update venc.worker_keys set last_used_at = greatest(last_used_at, used.at)
      from used where worker_keys.id = used.id`.execute(this.#queries);
  }
}
