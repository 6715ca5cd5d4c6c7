import type { KeyKind } from './store/account-store.js';
import { readAccountsDocument } from './store/json/accounts-document.js';
import { readDocument } from './store/json/document.js';
import { dataLayout } from './store/json/layout.js';

/** What the accounts and keys of a data folder are called. */
export interface DeskNames {
  readonly accounts: readonly { readonly name: string; readonly isIntegration: boolean }[];
  /** Keys by their short ids, with the names of their accounts. */
  readonly keys: readonly { readonly id: string; readonly kind: KeyKind; readonly account: string }[];
}

/** Reads the names that commands can be given. Unlike them it makes nothing: where there is nothing yet there is no name. */
export async function readDeskNames(dataFolder: string): Promise<DeskNames> {
  const found = await readDocument(dataLayout(dataFolder).accounts, readAccountsDocument);
  if (found.kind !== 'whole') return { accounts: [], keys: [] };
  const { accounts, keys } = found.data;
  return {
    accounts: accounts.map(({ name, isIntegration }) => ({ name, isIntegration })),
    keys: keys.map(({ id, kind, accountId }) => ({
      id,
      kind,
      account: accounts.find((one) => one.id === accountId)?.name ?? accountId,
    })),
  };
}
