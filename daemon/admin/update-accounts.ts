import { VencError } from '../../src/shared/errors.js';
import { findSuggestions } from '../../src/shared/text/suggestions.js';
import type { Account, KeyKind } from '../store/account-store.js';
import {
  type AccountsDocument,
  accountByName,
  allKeys,
  withKey,
  withWorkerKey,
} from '../store/accounts/accounts-document.js';
import { hashKey, newKey, newShortId, newWorkerKey } from '../store/accounts/keys.js';

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
export function withNewKey(document: AccountsDocument, account: Account, kind: KeyKind) {
  const created: NewKey = { id: newShortId(allKeys(document)), key: newKey() };
  const createdAt = new Date().toISOString();
  const stored = { id: created.id, accountId: account.id, kind, hash: hashKey(created.key), createdAt };
  return { updated: withKey(document, stored), created };
}

/** Adds a worker key. Returns the new document and the key. */
export function withNewWorkerKey(document: AccountsDocument) {
  const created: NewKey = { id: newShortId(allKeys(document)), key: newWorkerKey() };
  const stored = { id: created.id, hash: hashKey(created.key), createdAt: new Date().toISOString() };
  return { updated: withWorkerKey(document, stored), created };
}
