import { isObject } from '../../../src/shared/util/is-object.js';
import type { Account, KeyKind } from '../account-store.js';

/**
 * The id of the account that the first start creates. It is fixed, so that its jobs survive the loss of
 * `accounts.json`.
 */
export const defaultAccountId = 'default';

/** A key as it is stored: its hash, never the key itself. */
export interface StoredKey {
  /** A short random id, by which users name the key. */
  readonly id: string;
  readonly accountId: string;
  readonly kind: KeyKind;
  /** SHA-256 of the key, 64 hexadecimal digits. */
  readonly hash: string;
  readonly createdAt: string;
}

/** The content of `accounts.json`. Never edited in place. */
export interface AccountsDocument {
  readonly accounts: readonly Account[];
  readonly keys: readonly StoredKey[];
}

/** The document as older versions wrote it: accounts without notification secrets. */
interface StoredAccounts {
  readonly accounts: readonly StoredAccount[];
  readonly keys: readonly StoredKey[];
}

type StoredAccount = Omit<Account, 'notificationSecret'> & Partial<Pick<Account, 'notificationSecret'>>;

/** The document of a first start: no account yet. */
export const noAccounts: AccountsDocument = { accounts: [], keys: [] };

/** Adds an account, or replaces the one with its id. */
export function withAccount(document: AccountsDocument, account: Account): AccountsDocument {
  return { ...document, accounts: upsert(document.accounts, account) };
}

/** Adds a key, or replaces the one with its id. */
export function withKey(document: AccountsDocument, key: StoredKey): AccountsDocument {
  return { ...document, keys: upsert(document.keys, key) };
}

/** Removes the key with an id. */
export function withoutKey(document: AccountsDocument, id: string): AccountsDocument {
  return { ...document, keys: document.keys.filter((key) => key.id !== id) };
}

/** The account with an id; null if there is none. */
export function accountById(document: AccountsDocument, id: string): Account | null {
  return document.accounts.find((account) => account.id === id) ?? null;
}

/** The account with exactly this name; null if there is none. */
export function accountByName(document: AccountsDocument, name: string): Account | null {
  return document.accounts.find((account) => account.name === name) ?? null;
}

/** The number of keys of an account, of one kind or of all. */
export function keyCount(document: AccountsDocument, accountId: string, kind?: KeyKind): number {
  const matches = (key: StoredKey) =>
    key.accountId === accountId && (kind === undefined || key.kind === kind);
  return document.keys.filter(matches).length;
}

/** Whether every account has its notification secret. */
export function hasAllSecrets(found: StoredAccounts): found is AccountsDocument {
  return found.accounts.every(({ notificationSecret }) => notificationSecret !== undefined);
}

/** Adds a notification secret to each account that has none. */
export function withMissingSecrets(found: StoredAccounts, newSecret: () => string): AccountsDocument {
  const accounts = found.accounts.map((account) => ({
    ...account,
    notificationSecret: account.notificationSecret ?? newSecret(),
  }));
  return { ...found, accounts };
}

/** Parses the content of `accounts.json`; null if any field is invalid. */
export function readAccountsDocument(value: unknown): StoredAccounts | null {
  if (!isObject(value) || !Array.isArray(value.accounts) || !Array.isArray(value.keys)) return null;
  const accounts: unknown[] = value.accounts;
  const keys: unknown[] = value.keys;
  return accounts.every(isAccount) && keys.every(isStoredKey) ? { accounts, keys } : null;
}

function upsert<Item extends { readonly id: string }>(items: readonly Item[], item: Item): readonly Item[] {
  const isNew = items.every(({ id }) => id !== item.id);
  return isNew ? [...items, item] : items.map((known) => (known.id === item.id ? item : known));
}

function isAccount(value: unknown): value is StoredAccount {
  return (
    isObject(value) &&
    typeof value.id === 'string' &&
    typeof value.name === 'string' &&
    typeof value.isIntegration === 'boolean' &&
    typeof value.createdAt === 'string' &&
    (value.notificationSecret === undefined || isSecret(value.notificationSecret))
  );
}

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(value);
}

function isStoredKey(value: unknown): value is StoredKey {
  return (
    isObject(value) &&
    typeof value.id === 'string' &&
    typeof value.accountId === 'string' &&
    (value.kind === 'full' || value.kind === 'read-only') &&
    typeof value.hash === 'string' &&
    /^[0-9a-f]{64}$/.test(value.hash) &&
    typeof value.createdAt === 'string'
  );
}
