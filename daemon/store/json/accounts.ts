import { readFile } from 'node:fs/promises';
import { VencError } from '../../../src/api/errors.js';
import type { Account, AccountStore, KeyHolder } from '../account-store.js';
import {
  type AccountsDocument,
  accountById,
  defaultAccountId,
  holderOfHash,
  noAccounts,
  readAccountsDocument,
  withAccount,
  withKey,
} from './accounts-document.js';
import type { StoreLog } from './damaged-jobs.js';
import { realDisk } from './disk.js';
import { openingError, systemCode } from './disk-errors.js';
import { type Found, readDocument, writeDocument } from './document.js';
import { DurableFiles } from './durable-files.js';
import { FileWatch } from './file-watch.js';
import { hashKey, newKey, newShortId, requireUsableKey } from './keys.js';
import { type DataLayout, dataLayout } from './layout.js';

/** How often a running daemon looks whether `accounts.json` changed; it has to heed a change within a second. */
const watchIntervalMs = 500;

/** What opening the accounts takes. */
export interface OpenAccountsOptions {
  /** Is told when a change of `accounts.json` cannot be read. */
  readonly log: StoreLog;
}

/** Accounts that follow the changes of their file until they are closed. */
export interface OpenAccounts extends AccountStore {
  close(): Promise<void>;
}

/**
 * Opens `DATA/accounts.json`. Changes that others make to it are heeded within a second. A damaged file is never
 * replaced: at the opening it is a `UsageError` that names it; while the store is open, the last good state stays in
 * force and the log is told.
 */
export async function openAccounts(dataFolder: string, options: OpenAccountsOptions): Promise<OpenAccounts> {
  const layout = dataLayout(dataFolder);
  // Looked at before it is read, so that a change in between is found at the next look.
  const watch = await FileWatch.begin(layout.accounts);
  const found = await readDocument(layout.accounts, readAccountsDocument);
  if (found.kind === 'damaged') {
    throw new VencError('UsageError', `The file ${layout.accounts} is damaged: ${found.reason}.`, {
      hint: 'Put a copy of it back, or move it away: the next start then makes a new one, and other keys are lost.',
    });
  }
  const store = new JsonAccounts(layout, found.kind === 'whole' ? found.data : noAccounts, watch);
  watch.every(watchIntervalMs, async () => {
    store.takeIn(await readDocument(layout.accounts, readAccountsDocument), options.log);
  });
  return store;
}

class JsonAccounts implements OpenAccounts {
  readonly #layout: DataLayout;
  readonly #watch: FileWatch;
  readonly #files = new DurableFiles(realDisk);
  #document: AccountsDocument;

  constructor(layout: DataLayout, document: AccountsDocument, watch: FileWatch) {
    this.#layout = layout;
    this.#watch = watch;
    this.#document = document;
  }

  holderOf(key: string): KeyHolder | null {
    return holderOfHash(this.#document, hashKey(key));
  }

  account(id: string): Account | null {
    return accountById(this.#document, id);
  }

  async ensureOwner(key?: string): Promise<string> {
    if (key !== undefined) requireUsableKey(key);
    try {
      const kept = await this.#keptKey();
      const owner = key ?? kept ?? newKey();
      await this.#admit(owner);
      // After accounts.json: a crash between leaves an old key that is good, or none, which the next start makes.
      if (owner !== kept) await this.#files.write(this.#layout.ownerKey, `${owner}\n`);
      return owner;
    } catch (error) {
      throw openingError(error, this.#layout.folder);
    }
  }

  close(): Promise<void> {
    return this.#watch.close();
  }

  /** Makes what was read of the changed file the state in force, if it is good. */
  takeIn(found: Found<AccountsDocument>, log: StoreLog): void {
    if (found.kind === 'whole') this.#document = found.data;
    else {
      const reason = found.kind === 'missing' ? 'it has disappeared' : found.reason;
      log(
        'error',
        `The file ${this.#layout.accounts} is damaged: ${reason}. The keys known before stay good.`,
      );
    }
  }

  /** Sees to it that a key is a full-access key of the account `default`. */
  async #admit(key: string): Promise<void> {
    const createdAt = new Date().toISOString();
    const holder = this.holderOf(key);
    if (holder !== null && (holder.account.id !== defaultAccountId || holder.kind !== 'full')) {
      throw new VencError(
        'UsageError',
        'The API key in VENC_API_KEY is already that of another account, or a read-only one.',
      );
    }
    if (holder !== null) return;
    const account = { id: defaultAccountId, name: 'default', isIntegration: false, createdAt };
    const before = this.#document;
    const known = accountById(before, defaultAccountId) === null ? withAccount(before, account) : before;
    const after = withKey(known, {
      id: newShortId(),
      accountId: defaultAccountId,
      kind: 'full',
      hash: hashKey(key),
      createdAt,
    });
    await writeDocument(this.#files, this.#layout.accounts, after);
    this.#document = after;
  }

  /** The owner's key as it lies in the folder; null where there is none, or nothing that could be one. */
  async #keptKey(): Promise<string | null> {
    try {
      const text = (await readFile(this.#layout.ownerKey, 'utf8')).trim();
      return /^[\x21-\x7e]{1,255}$/.test(text) ? text : null;
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return null;
      throw error;
    }
  }
}
