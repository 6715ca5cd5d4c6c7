import type { AccountsDocument } from '../store/accounts/accounts-document.js';
import type { KeyUseTimes } from '../store/accounts/key-use-recorder.js';
import type { StoredCredential } from '../store/credentials/credentials-file.js';

/** Where the accounts, keys and saved credentials are that commands manage: in a data folder, or in a database. */
export interface SetupStore {
  /** What messages call it: the data folder with its path, or the database with its server. */
  readonly name: string;
  /**
   * The accounts. Creates those of a first start if no daemon has started yet. Rejects with `UsageError` if they cannot be used, and with
   * `InUseError` if another process holds them.
   */
  accounts(): Promise<AccountsDocument>;
  /** Lets `work` change everything, alone among all processes. Rejects as `accounts` does, and as `work` does. */
  update<T>(work: (locked: LockedSetup) => Promise<T>): Promise<T>;
  /** The last uses of keys. */
  keyUses(): Promise<KeyUseTimes>;
  /** All saved credentials, in the order of their creation. */
  credentials(): Promise<readonly StoredCredential[]>;
  close(): Promise<void>;
}

/** The accounts, keys and saved credentials while no other process can change them. */
interface LockedSetup {
  readonly accounts: AccountsDocument;
  replaceAccounts(after: AccountsDocument): Promise<void>;
  /** The owner's key; null if there is none. */
  ownerKey(): Promise<string | null>;
  /** Removes the owner's key, so that the next start of a daemon creates a new one. */
  removeOwnerKey(): Promise<void>;
  /** The key that encrypts saved credentials; the first use creates it. */
  credentialsKey(): Promise<Buffer>;
  credentials(): Promise<readonly StoredCredential[]>;
  replaceCredentials(after: readonly StoredCredential[]): Promise<void>;
}
