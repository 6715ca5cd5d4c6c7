/*
 * The operations of `venc keys` on a data folder. They work with and without a running daemon, which applies
 * a change within a second. Each also rejects as `readOrCreateAccounts` does.
 */
import { VencError } from '../../src/shared/errors.js';
import { findSuggestions } from '../../src/shared/text/suggestions.js';
import type { KeyKind } from '../store/account-store.js';
import {
  type AccountsDocument,
  accountById,
  keyCount,
  type StoredKey,
  withoutKey,
} from '../store/accounts/accounts-document.js';
import { readKeyUses } from '../store/accounts/key-use-recorder.js';
import { hashKey } from '../store/accounts/keys.js';
import { readOwnerKey, removeOwnerKey } from '../store/accounts/owner.js';
import { dataLayout } from '../store/data-folder/layout.js';
import {
  type NewKey,
  namedAccount,
  readOrCreateAccounts,
  updateAccounts,
  withNewKey,
} from './update-accounts.js';

/** A key as it is shown: without the key itself and without its hash. */
interface ApiKeySummary {
  readonly id: string;
  readonly kind: KeyKind;
  /** Name of its account. */
  readonly account: string;
  readonly createdAt: string;
  /** When it was last used; a running daemon writes this at most a minute late. */
  readonly lastUsedAt: string | null;
}

/** A key that was revoked. */
interface RevokedKey {
  readonly kind: KeyKind;
  /** Name of its account. */
  readonly account: string;
  /** Whether it was the owner's key, which lies in the data folder. */
  readonly isOwners: boolean;
  /** Whether its account still has a full-access key. */
  readonly hasFullKeyLeft: boolean;
}

/**
 * Every key, in order of creation; only the keys of one account if `accountName` is given (`NotFoundError` if
 * there is none).
 */
export async function listKeys(dataFolder: string, accountName?: string): Promise<readonly ApiKeySummary[]> {
  const document = await readOrCreateAccounts(dataFolder);
  const account = accountName === undefined ? null : namedAccount(document, accountName);
  const uses = await readKeyUses(dataLayout(dataFolder).keyUses);
  return document.keys
    .filter(({ accountId }) => account === null || accountId === account.id)
    .map((key) => ({
      id: key.id,
      kind: key.kind,
      account: nameOfAccount(document, key),
      createdAt: key.createdAt,
      lastUsedAt: uses[key.id] ?? null,
    }));
}

/** Creates a key of an account. Rejects with `NotFoundError` if there is no such account. */
export async function createKey(dataFolder: string, accountName: string, kind: KeyKind): Promise<NewKey> {
  return updateAccounts(dataFolder, async ({ document, replace }) => {
    const { updated, created } = withNewKey(document, namedAccount(document, accountName), kind);
    await replace(updated);
    return created;
  });
}

/**
 * Revokes the key with an id. The owner's key is also deleted from the folder, because the next start would
 * otherwise restore it; that start makes a new one. Rejects with `NotFoundError` if there is no key with this
 * id.
 */
export async function revokeKey(dataFolder: string, id: string): Promise<RevokedKey> {
  const layout = dataLayout(dataFolder);
  return updateAccounts(dataFolder, async ({ document, replace }) => {
    const key = document.keys.find((known) => known.id === id);
    if (key === undefined) throw noSuchKey(document, id);
    const ownerKey = await readOwnerKey(layout);
    const isOwners = ownerKey !== null && hashKey(ownerKey) === key.hash;
    // Before accounts.json: after a crash between the two writes, the next start makes a new key and never
    // restores this one.
    if (isOwners) await removeOwnerKey(layout);
    const updated = withoutKey(document, id);
    await replace(updated);
    return {
      kind: key.kind,
      account: nameOfAccount(document, key),
      isOwners,
      hasFullKeyLeft: keyCount(updated, key.accountId, 'full') > 0,
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
  const matchingKey = document.keys.find(({ hash }) => hash === hashKey(input));
  if (matchingKey !== undefined) {
    return new VencError('UsageError', 'That is an API key; give the short id of the key instead.', {
      hint: `the id of that key is ${matchingKey.id}`,
    });
  }
  const suggestions = findSuggestions(
    input,
    document.keys.map(({ id }) => id),
  );
  const idText = input.length > 16 ? 'that id' : `the id "${input}"`;
  return new VencError('NotFoundError', `There is no key with ${idText}.`, {
    hint:
      suggestions.length > 0
        ? `did you mean ${suggestions.join(', ')}?`
        : 'venc keys list shows the ids of all keys',
  });
}
