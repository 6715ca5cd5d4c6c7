import { readFile } from 'node:fs/promises';
import type { KeyKind } from '../store/account-store.js';
import { noAccounts, readAccountsDocument } from '../store/accounts/accounts-document.js';
import { dataLayout } from '../store/data-folder/layout.js';

/** What the accounts and keys of a data folder are called. */
export interface AccountNames {
  readonly accounts: readonly { readonly name: string; readonly isIntegration: boolean }[];
  /** Keys by their short ids, with the names of their accounts. */
  readonly keys: readonly { readonly id: string; readonly kind: KeyKind; readonly account: string }[];
}

/**
 * Reads the names that commands can be given. Unlike them it makes nothing, and loads nothing of the store but what it reads by: a
 * person waits at a TAB. Rejects where there is nothing to read.
 */
export async function readAccountNames(dataFolder: string): Promise<AccountNames> {
  const found = readAccountsDocument(JSON.parse(await readFile(dataLayout(dataFolder).accounts, 'utf8')));
  const { accounts, keys } = found ?? noAccounts;
  return {
    accounts: accounts.map(({ name, isIntegration }) => ({ name, isIntegration })),
    keys: keys.map(({ id, kind, accountId }) => ({
      id,
      kind,
      account: accounts.find((one) => one.id === accountId)?.name ?? accountId,
    })),
  };
}
