/*
 * The operations of `venc keys`, which the page of the daemon uses as well. They work with and without a running daemon,
 * which applies a change within a second. Each also rejects as the store does.
 */
import { VencError } from '../../../src/shared/errors.js';
import { findSuggestions } from '../../../src/shared/text/suggestions.js';
import { defaultAccountId } from '../../jobs/job.js';
import type { Account, KeyKind } from '../account-store.js';
import {
  type AccountsDocument,
  accountById,
  accountByName,
  allKeys,
  expiryMsOf,
  kindOf,
  type StoredKey,
  type StoredWorkerKey,
  storedKind,
  withKey,
  withoutKey,
  withRetiredKey,
  withWorkerKey,
  workerKeys,
} from './accounts-document.js';
import { hashKey, newKey, newShortId, newWorkerKey } from './keys.js';
import type { SetupStore } from './setup-store.js';

/** A key as it is shown: without the key itself and without its hash. */
export interface ApiKeySummary {
  readonly id: string;
  /** Null if it has none. */
  readonly name: string | null;
  readonly kind: KeyKind | 'worker';
  /** Name of its account; null for a worker key. */
  readonly account: string | null;
  readonly createdAt: string;
  /** Null if it does not expire. */
  readonly expiresAt: string | null;
  /** When it was last used; a running daemon writes this at most a minute late. */
  readonly lastUsedAt: string | null;
}

/** A key of an account that was revoked. */
interface RevokedAccountKey {
  readonly kind: KeyKind;
  /** Name of its account. */
  readonly account: string;
  /** Whether it was the owner's key, which is also stored itself. */
  readonly isOwners: boolean;
  /** Whether its account still has a valid full-access key. */
  readonly hasFullKeyLeft: boolean;
}

/** A key that was revoked. */
export type RevokedKey = RevokedAccountKey | { readonly kind: 'worker' };

/**
 * Every key in order of creation, those of accounts first; only the keys of one account if `accountName` is
 * given (`NotFoundError` if there is none).
 */
export async function listKeys(setup: SetupStore, accountName?: string): Promise<readonly ApiKeySummary[]> {
  const document = await setup.accounts();
  const account = accountName === undefined ? null : namedAccount(document, accountName);
  const uses = await setup.keyUses();
  const common = ({ id, name, createdAt, expiresAt }: StoredWorkerKey) => ({
    ...{ id, createdAt },
    name: name ?? null,
    expiresAt: expiresAt ?? null,
    lastUsedAt: uses[id] ?? null,
  });
  const ofAccounts = document.keys
    .filter(({ accountId }) => account === null || accountId === account.id)
    .map((key) => ({
      kind: kindOf(key),
      account: nameOfAccount(document, key),
      ...common(key),
    }));
  if (account !== null) return ofAccounts;
  const ofWorkers = workerKeys(document).map((key) => ({
    kind: 'worker' as const,
    account: null,
    ...common(key),
  }));
  return [...ofAccounts, ...ofWorkers];
}

/** The short id of the owner's key; null if there is none. */
export async function ownerKeyId(setup: SetupStore): Promise<string | null> {
  const ownerKey = await setup.ownerKey();
  if (ownerKey === null) return null;
  const { keys } = await setup.accounts();
  return keys.find(({ hash }) => hash === hashKey(ownerKey))?.id ?? null;
}

/** What a new key is for, and when it expires. */
export interface KeyDetails {
  readonly name?: string;
  /** In ISO 8601. */
  readonly expiresAt?: string;
}

/**
 * Creates a key of an account. Rejects with `NotFoundError` if there is no such account, with `UsageError` for an
 * invalid name.
 */
export async function createKey(
  setup: SetupStore,
  accountName: string,
  kind: KeyKind,
  details: KeyDetails = {},
): Promise<NewKey> {
  requireValidName(details.name);
  return setup.update(async ({ accounts: document, replaceAccounts }) => {
    const account = namedAccount(document, accountName);
    const { updated, created } = withNewKey(document, account, kind, details);
    await replaceAccounts(updated);
    return created;
  });
}

/** Creates a worker key. Rejects with `UsageError` for an invalid name. */
export async function createWorkerKey(setup: SetupStore, details: KeyDetails = {}): Promise<NewKey> {
  requireValidName(details.name);
  return setup.update(async ({ accounts: document, replaceAccounts }) => {
    const { updated, created } = withNewWorkerKey(document, details);
    await replaceAccounts(updated);
    return created;
  });
}

/** The owner's new key, and until when the earlier one is valid, in ISO 8601; null if there was none. */
interface RotatedKey extends NewKey {
  readonly earlierUntil: string | null;
}

/**
 * Replaces the owner's key by a new one. The earlier key is valid for a number of seconds, and no start of a daemon adds
 * it again.
 */
export async function rotateOwnerKey(setup: SetupStore, graceSeconds: number): Promise<RotatedKey> {
  const until = new Date(Date.now() + graceSeconds * 1000).toISOString();
  return setup.update(async ({ accounts: document, ...locked }) => {
    const earlier = await locked.ownerKey();
    const account = accountById(document, defaultAccountId);
    if (account === null) throw new VencError('NotFoundError', 'There is no account "default".');
    const { updated, created } = withNewKey(document, account, 'full');
    const hash = earlier === null ? null : hashKey(earlier);
    // In a data folder, after a crash between the two writes, the earlier key is valid for the grace, and the next
    // start makes a new one.
    await locked.replaceAccounts(hash === null ? updated : withRetiredKey(updated, hash, until));
    await locked.replaceOwnerKey(created.key);
    return { ...created, earlierUntil: hash === null ? null : until };
  });
}

/** A key that is about to be revoked. */
export interface KeyToRevoke {
  /** Name of its account; null for a worker key. */
  readonly account: string | null;
  readonly isOwners: boolean;
}

/**
 * Revokes the key with an id. The owner's key itself is also deleted, because the next start would otherwise
 * restore it; that start makes a new one. Rejects with `NotFoundError` if there is no key with this
 * id, and as `check` throws, which decides by the key: nothing is changed then.
 */
export async function revokeKey(
  setup: SetupStore,
  id: string,
  check: (key: KeyToRevoke) => void = () => {},
): Promise<RevokedKey> {
  return setup.update(async ({ accounts: document, ...locked }) => {
    if (workerKeys(document).some((known) => known.id === id)) {
      check({ account: null, isOwners: false });
      await locked.replaceAccounts(withoutKey(document, id));
      return { kind: 'worker' };
    }
    const key = document.keys.find((known) => known.id === id);
    if (key === undefined) throw noSuchKey(document, id);
    const ownerKey = await locked.ownerKey();
    const isOwners = ownerKey !== null && hashKey(ownerKey) === key.hash;
    check({ account: nameOfAccount(document, key), isOwners });
    // Before the accounts: in a data folder, after a crash between the two writes, the next start makes a new key and
    // never restores this one.
    if (isOwners) await locked.replaceOwnerKey(null);
    const updated = withoutKey(document, id);
    await locked.replaceAccounts(updated);
    return {
      kind: kindOf(key),
      account: nameOfAccount(document, key),
      isOwners,
      hasFullKeyLeft: updated.keys.some(
        (one) => one.accountId === key.accountId && one.kind === 'full' && expiryMsOf(one) > Date.now(),
      ),
    };
  });
}

function nameOfAccount(document: AccountsDocument, { accountId }: StoredKey): string {
  return accountById(document, accountId)?.name ?? accountId;
}

/**
 * Repeats neither a key that was given instead of its id nor anything as long as a key: the output may be
 * stored.
 */
function noSuchKey(document: AccountsDocument, input: string): VencError {
  const matchingKey = allKeys(document).find(({ hash }) => hash === hashKey(input));
  if (matchingKey !== undefined) {
    return new VencError('UsageError', 'That is an API key; give the short id of the key instead.', {
      hint: `the id of that key is ${matchingKey.id}`,
    });
  }
  const suggestions = findSuggestions(
    input,
    allKeys(document).map(({ id }) => id),
  );
  const idText = input.length > 16 ? 'that id' : `the id "${input}"`;
  return new VencError('NotFoundError', `There is no key with ${idText}.`, {
    hint:
      suggestions.length > 0
        ? `did you mean ${suggestions.join(', ')}?`
        : 'venc keys list shows the ids of all keys',
  });
}

/** A key that was just created: the only time that it is shown. */
export interface NewKey {
  readonly id: string;
  readonly key: string;
}

/** The account with this name. Throws `NotFoundError`, with suggestions, if there is none. */
export function namedAccount(document: AccountsDocument, name: string): Account {
  const account = accountByName(document, name);
  if (account !== null) return account;
  const suggestions = findSuggestions(
    name,
    document.accounts.map((known) => known.name),
  );
  throw new VencError('NotFoundError', `There is no account "${name}".`, {
    hint:
      suggestions.length > 0
        ? `did you mean ${suggestions.join(', ')}?`
        : 'venc accounts list shows them all',
  });
}

/** Adds a key to an account. Returns the new document and the key. */
export function withNewKey(
  document: AccountsDocument,
  account: Account,
  kind: KeyKind,
  details: KeyDetails = {},
) {
  const created: NewKey = { id: newShortId(allKeys(document)), key: newKey() };
  const stored = {
    id: created.id,
    accountId: account.id,
    ...storedKind(kind),
    ...storedParts(created, details),
  };
  return { updated: withKey(document, stored), created };
}

/** Adds a worker key. Returns the new document and the key. */
function withNewWorkerKey(document: AccountsDocument, details: KeyDetails) {
  const created: NewKey = { id: newShortId(allKeys(document)), key: newWorkerKey() };
  return { updated: withWorkerKey(document, { id: created.id, ...storedParts(created, details) }), created };
}

function storedParts({ key }: NewKey, details: KeyDetails) {
  return { hash: hashKey(key), createdAt: new Date().toISOString(), ...details };
}

/** What the name of an account or of a key is made of: a sentence without its subject and its point. */
export const nameRule = 'has 1 to 64 letters, digits or . _ - @ +, and begins with a letter or a digit';

function requireValidName(name: string | undefined): void {
  if (name === undefined || isValidName(name)) return;
  throw new VencError('UsageError', `The name of a key ${nameRule}.`, {
    hint: 'for example: venc keys create --name ci',
  });
}

/** Whether a text can be the name of an account or of a key. */
export function isValidName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._@+-]{0,63}$/u.test(name);
}
