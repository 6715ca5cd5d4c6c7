import { readFile } from 'node:fs/promises';
import { textFileOptions } from '../../src/shared/util/disk.js';
import type { KeyKind } from '../store/account-store.js';
import { kindOf, noAccounts, readAccountsDocument } from '../store/accounts/accounts-document.js';
import { dataLayout } from '../store/data-folder/layout.js';

/** The names of the accounts and keys of a data folder. */
interface AccountNames {
  readonly accounts: readonly { readonly name: string; readonly isIntegration: boolean }[];
  /** Short ids of the keys, with the names of their accounts; null for worker keys. */
  readonly keys: readonly {
    readonly id: string;
    readonly kind: KeyKind | 'worker';
    readonly account: string | null;
  }[];
}

/**
 * Reads the names that commands accept, for shell completion. Creates nothing and loads as little of the
 * store as possible, because a person waits at a TAB. Rejects if there is nothing to read.
 */
export async function readAccountNames(dataFolder: string): Promise<AccountNames> {
  const found = readAccountsDocument(
    JSON.parse(await readFile(dataLayout(dataFolder).accounts, textFileOptions)),
  );
  const { accounts, keys, workers = [] } = found ?? noAccounts;
  return {
    accounts: accounts.map(({ name, isIntegration }) => ({ name, isIntegration })),
    keys: [
      ...keys.map((key) => ({
        id: key.id,
        kind: kindOf(key),
        account: accounts.find((one) => one.id === key.accountId)?.name ?? key.accountId,
      })),
      ...workers.map(({ id }) => ({ id, kind: 'worker' as const, account: null })),
    ],
  };
}
