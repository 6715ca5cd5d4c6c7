/*
 * What `venc keys` does to a data folder, whether a daemon runs on it or not: that one heeds the change within a second. Each
 * rejects as `readDesk` does, beside what it says itself.
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

/** A key as its owner may see it: neither the key nor its hash. */
export interface ApiKeySummary {
  readonly id: string;
  readonly kind: KeyKind;
  /** Name of its account. */
  readonly account: string;
  readonly createdAt: string;
  /** When it was used last, as far as that was written: a daemon that runs does so at most a minute later. */
  readonly lastUsedAt: string | null;
}

/** A key that is no longer good. */
export interface RevokedKey {
  readonly kind: KeyKind;
  /** Name of its account. */
  readonly account: string;
  /** Whether it was the owner's own, which lay in the data folder. */
  readonly isOwners: boolean;
  /** Whether its account has a full-access key left. */
  readonly hasFullKeyLeft: boolean;
}

/** Every key, in the order they were made; those of one account where its name is given (`NotFoundError` where there is none). */
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

/** Makes a key of an account. Rejects with `NotFoundError` where there is no such account. */
export async function createKey(dataFolder: string, accountName: string, kind: KeyKind): Promise<NewKey> {
  return updateAccounts(dataFolder, async ({ document, replace }) => {
    const { updated, created } = withNewKey(document, namedAccount(document, accountName), kind);
    await replace(updated);
    return created;
  });
}

/**
 * Takes a key away, by its id. The owner's own goes from the folder as well, or the next start would take it for a good one;
 * that start then makes a new one. Rejects with `NotFoundError` where there is none with this id.
 */
export async function revokeKey(dataFolder: string, id: string): Promise<RevokedKey> {
  const layout = dataLayout(dataFolder);
  return updateAccounts(dataFolder, async ({ document, replace }) => {
    const key = document.keys.find((known) => known.id === id);
    if (key === undefined) throw noSuchKey(document, id);
    const ownerKey = await readOwnerKey(layout);
    const isOwners = ownerKey !== null && hashKey(ownerKey) === key.hash;
    // Before accounts.json: after a crash between the two a start makes another key, and never takes this one back.
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

/** A key that was given for its id is not repeated, nor anything as long as one: what is printed may be kept. */
function noSuchKey(document: AccountsDocument, input: string): VencError {
  const matchingKey = document.keys.find(({ hash }) => hash === hashKey(input));
  if (matchingKey !== undefined) {
    return new VencError('UsageError', 'That is a key itself: keys are named by their short ids.', {
      hint: `the id of that one is ${matchingKey.id}`,
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
