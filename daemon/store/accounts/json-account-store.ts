import type { Log } from '../../../src/shared/util/log.js';
import type { Account, AccountStore, KeyDigest, KeyHolder, WorkerKey } from '../account-store.js';
import { toOpenError } from '../data-folder/disk-errors.js';
import type { ReadResult } from '../data-folder/document.js';
import { FilePoller } from '../data-folder/file-poller.js';
import { type DataLayout, dataLayout } from '../data-folder/layout.js';
import { type AccountsDocument, noAccounts } from './accounts-document.js';
import { damagedAccounts, readAccounts } from './accounts-file.js';
import { AccountsView } from './accounts-view.js';
import { addKeyUses, KeyUseRecorder } from './key-use-recorder.js';
import { digestOf } from './keys.js';
import { ensureOwner, isOwner, readOwnerKey } from './owner.js';

/** How often a running daemon polls `accounts.json`; it has to apply a change within a second. */
const watchIntervalMs = 500;

/** The options of `openAccounts`. */
interface OpenAccountsOptions {
  /** Logs when a changed `accounts.json` cannot be read, or the last uses of keys cannot be written. */
  readonly log: Log;
}

/** Accounts that follow the changes of their file until they are closed. */
export interface OpenAccounts extends AccountStore {
  /** Writes the last uses of keys that are not written yet. */
  close(): Promise<void>;
}

/**
 * Opens `DATA/accounts.json`. Changes by other processes are applied within a second. A damaged file is never
 * replaced: when opening, it is a `UsageError` that names the file; while the store is open, the last valid
 * state stays in force and the damage is logged.
 */
export async function openAccounts(dataFolder: string, options: OpenAccountsOptions): Promise<OpenAccounts> {
  const layout = dataLayout(dataFolder);
  // Records the version before reading, so that the first poll finds a change in between.
  const watch = await FilePoller.create(layout.accounts);
  const found = await readAccounts(layout);
  if (found.kind === 'damaged') throw await damagedAccounts(layout, found.reason);
  const store = new JsonAccounts(layout, {
    document: found.kind === 'whole' ? found.data : noAccounts,
    watch,
    log: options.log,
  });
  watch.start(watchIntervalMs, async () => store.applyFileChange(await readAccounts(layout)));
  return store;
}

interface JsonAccountsParts {
  readonly document: AccountsDocument;
  readonly watch: FilePoller;
  readonly log: Log;
}

class JsonAccounts implements OpenAccounts {
  readonly #layout: DataLayout;
  readonly #watch: FilePoller;
  readonly #log: Log;
  readonly #uses: KeyUseRecorder;
  readonly #view: AccountsView;

  constructor(layout: DataLayout, { document, watch, log }: JsonAccountsParts) {
    this.#layout = layout;
    this.#watch = watch;
    this.#log = log;
    this.#view = new AccountsView(document);
    this.#uses = new KeyUseRecorder({
      write: (uses) => addKeyUses(layout.keyUses, uses, (id) => this.#view.isKey(id)),
      onError: (error) => log('warn', `The last uses of keys could not be written: ${String(error)}`),
    });
  }

  holderOf(key: string): KeyHolder | null {
    return this.#view.holderOf(digestOf(key));
  }

  digestOf(key: string): KeyDigest {
    return digestOf(key);
  }

  holderOfDigest(digest: KeyDigest): KeyHolder | null {
    return this.#view.holderOf(digest);
  }

  workerKeyOf(digest: KeyDigest): WorkerKey | null {
    return this.#view.workerKeyOf(digest);
  }

  refresh(): Promise<void> {
    return this.#watch.poll();
  }

  account(id: string): Account | null {
    return this.#view.account(id);
  }

  recordUse(keyId: string): void {
    this.#uses.record(keyId);
  }

  watchKey(keyId: string, onRevoked: () => void): () => void {
    return this.#view.watchKey(keyId, onRevoked);
  }

  async ensureOwner(key?: string): Promise<string> {
    try {
      const storedKey = await readOwnerKey(this.#layout);
      // Most starts find a valid owner's key and need no lock.
      if (storedKey !== null && (key ?? storedKey) === storedKey && isOwner(this.#view.document, storedKey))
        return storedKey;
    } catch (error) {
      throw toOpenError(error, this.#layout.folder);
    }
    const owner = await ensureOwner(this.#layout, key);
    this.#view.replace(owner.document);
    return owner.key;
  }

  async close(): Promise<void> {
    await this.#watch.close();
    await this.#uses.close();
  }

  /** Applies the changed file if it is valid. */
  applyFileChange(found: ReadResult<AccountsDocument>): void {
    if (found.kind === 'whole') {
      this.#view.replace(found.data);
      return;
    }
    const reason = found.kind === 'missing' ? 'it has disappeared' : found.reason;
    const file = this.#layout.accounts;
    this.#log('error', `The file ${file} is damaged: ${reason}. The previous keys stay valid.`);
  }
}
