import { timingSafeEqual } from 'node:crypto';
import type { Account, KeyHolder, KeyKind } from '../account-store.js';
import { isRecord } from './records.js';

/** The account that a first start makes. Its id is a fixed one, so that its jobs outlive a lost `accounts.json`. */
export const defaultAccountId = 'default';

/** A key as it is kept: never the key itself. */
export interface StoredKey {
  /** Short and without meaning: what a person names the key by. */
  readonly id: string;
  readonly accountId: string;
  readonly kind: KeyKind;
  /** SHA-256 of the key, 64 hexadecimal digits. */
  readonly hash: string;
  readonly createdAt: string;
}

/** What `accounts.json` holds. Never edited in place. */
export interface AccountsDocument {
  readonly accounts: readonly Account[];
  readonly keys: readonly StoredKey[];
}

/** No account yet: what a first start begins with. */
export const noAccounts: AccountsDocument = { accounts: [], keys: [] };

/** Adds an account, or replaces the one with its id. */
export function withAccount(document: AccountsDocument, account: Account): AccountsDocument {
  const others = document.accounts.filter(({ id }) => id !== account.id);
  return { ...document, accounts: [...others, account] };
}

/** Adds a key, or replaces the one with its id. */
export function withKey(document: AccountsDocument, key: StoredKey): AccountsDocument {
  return { ...document, keys: [...document.keys.filter(({ id }) => id !== key.id), key] };
}

/** The account with an id; null where there is none. */
export function accountById(document: AccountsDocument, id: string): Account | null {
  return document.accounts.find((account) => account.id === id) ?? null;
}

/**
 * Whom the key with this hash speaks for; null for an unknown one. Every hash is compared, each in constant time, so that
 * the time taken tells nothing of the keys.
 */
export function holderOfHash(document: AccountsDocument, hash: string): KeyHolder | null {
  const sought = Buffer.from(hash, 'hex');
  let found: StoredKey | null = null;
  for (const key of document.keys) {
    if (timingSafeEqual(Buffer.from(key.hash, 'hex'), sought)) found = key;
  }
  if (found === null) return null;
  const account = accountById(document, found.accountId);
  return account === null ? null : { account, kind: found.kind };
}

/** Reads what `accounts.json` holds; null where it is not, in every field, what it should be. */
export function readAccountsDocument(value: unknown): AccountsDocument | null {
  if (!isRecord(value) || !Array.isArray(value.accounts) || !Array.isArray(value.keys)) return null;
  const accounts: unknown[] = value.accounts;
  const keys: unknown[] = value.keys;
  return accounts.every(isAccount) && keys.every(isStoredKey) ? { accounts, keys } : null;
}

function isAccount(value: unknown): value is Account {
  return (
    isRecord(value) &&
    typeof value.id === 'string' &&
    typeof value.name === 'string' &&
    typeof value.isIntegration === 'boolean' &&
    typeof value.createdAt === 'string'
  );
}

function isStoredKey(value: unknown): value is StoredKey {
  return (
    isRecord(value) &&
    typeof value.id === 'string' &&
    typeof value.accountId === 'string' &&
    (value.kind === 'full' || value.kind === 'read-only') &&
    typeof value.hash === 'string' &&
    /^[0-9a-f]{64}$/.test(value.hash) &&
    typeof value.createdAt === 'string'
  );
}
