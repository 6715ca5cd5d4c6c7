import { VencError } from '../../src/shared/errors.js';
import { findSuggestions } from '../../src/shared/text/suggestions.js';
import type { Account, KeyKind } from '../store/account-store.js';
import { type AccountsDocument, accountByName, withKey } from '../store/accounts/accounts-document.js';
import {
  damagedAccounts,
  type LockedAccounts,
  readAccounts,
  withAccountsLock,
} from '../store/accounts/accounts-file.js';
import { hashKey, newKey, newShortId } from '../store/accounts/keys.js';
import { ensureOwner } from '../store/accounts/owner.js';
import { dataLayout } from '../store/data-folder/layout.js';

/** A key that was just created: the only time that it is shown. */
export interface NewKey {
  readonly id: string;
  readonly key: string;
}

/**
 * The accounts of a data folder. Creates those of a first start if no daemon has used the folder yet. Rejects
 * with `UsageError` if the folder cannot be used or its accounts are damaged, and with `InUseError` if
 * another process holds the lock of the accounts.
 */
export async function readOrCreateAccounts(dataFolder: string): Promise<AccountsDocument> {
  const layout = dataLayout(dataFolder);
  const found = await readAccounts(layout);
  if (found.kind === 'damaged') throw await damagedAccounts(layout, found.reason);
  return found.kind === 'whole' ? found.data : (await ensureOwner(layout)).document;
}

/** Changes the accounts under their lock. Rejects as `readOrCreateAccounts` does, and as `work` does. */
export async function updateAccounts<T>(
  dataFolder: string,
  work: (locked: LockedAccounts) => Promise<T>,
): Promise<T> {
  await readOrCreateAccounts(dataFolder);
  return withAccountsLock(dataLayout(dataFolder), work);
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
export function withNewKey(document: AccountsDocument, account: Account, kind: KeyKind) {
  const created: NewKey = { id: newShortId(document.keys), key: newKey() };
  const createdAt = new Date().toISOString();
  const stored = { id: created.id, accountId: account.id, kind, hash: hashKey(created.key), createdAt };
  return { updated: withKey(document, stored), created };
}
