import type { Log } from '../../../src/shared/util/log.js';
import type { StoredCredential } from '../credentials/credentials-file.js';
import type { AccountsDocument } from './accounts-document.js';
import type { KeyUseTimes } from './key-use-recorder.js';

/**
 * Where the accounts, keys and saved credentials are: in a data folder, or in a database. It only reads and writes
 * them; `accounts.ts` and the commands have the rules.
 */
export interface SetupStore {
  /** What messages call it: the data folder with its path, or the database with its server. */
  readonly name: string;
  /** The accounts; none before a first start. Rejects with `UsageError` if they cannot be used. */
  accounts(): Promise<AccountsDocument>;
  /** The owner's key; null if there is none or it is invalid. */
  ownerKey(): Promise<string | null>;
  /**
   * Lets `work` change everything, alone among all processes. Rejects as `accounts` and `work` do, and with
   * `InUseError` if another process is changing the accounts for ten seconds.
   */
  update<T>(work: (locked: LockedSetup) => Promise<T>): Promise<T>;
  /**
   * Calls `apply` with the accounts before it resolves, and after each change by another process. Logs why changed
   * accounts cannot be read: the previous ones stay valid then. Rejects as `accounts` does.
   */
  follow(apply: (document: AccountsDocument) => void, log: Log): Promise<FollowedAccounts>;
  /** The last uses of keys. */
  keyUses(): Promise<KeyUseTimes>;
  /** Adds the last uses of keys. Uses of keys for which `isKey` is false are dropped. */
  addKeyUses(uses: KeyUseTimes, isKey: (id: string) => boolean): Promise<void>;
  /** All saved credentials, in the order of their creation. */
  credentials(): Promise<readonly StoredCredential[]>;
  close(): Promise<void>;
}

/** Accounts that are followed. */
export interface FollowedAccounts {
  /** Applies changes at once. Rejects with `UnavailableError` if they are in a database that cannot be used now. */
  refresh(): Promise<void>;
  /** Resolves when `apply` is no longer called. */
  stop(): Promise<void>;
}

/**
 * The accounts, keys and saved credentials while no other process can change them. Each write is durable, or none is.
 */
interface LockedSetup {
  readonly accounts: AccountsDocument;
  replaceAccounts(after: AccountsDocument): Promise<void>;
  ownerKey(): Promise<string | null>;
  /** Replaces the owner's key; null removes it, and the next start of a daemon creates a new one. */
  replaceOwnerKey(key: string | null): Promise<void>;
  /** The key that encrypts saved credentials; the first use creates it. */
  credentialsKey(): Promise<Buffer>;
  credentials(): Promise<readonly StoredCredential[]>;
  replaceCredentials(after: readonly StoredCredential[]): Promise<void>;
}
