import { VencError } from '../../../src/shared/errors.js';
import type { Log } from '../../../src/shared/util/log.js';
import { defaultAccountId } from '../../jobs/job.js';
import type {
  Account,
  AccountStore,
  KeyDigest,
  KeyHolder,
  Pause,
  Presets,
  WorkerKey,
} from '../account-store.js';
import {
  type AccountsDocument,
  accountById,
  allKeys,
  noAccounts,
  withAccount,
  withKey,
  withPause,
  withPresets,
} from './accounts-document.js';
import { KeyUseRecorder } from './key-use-recorder.js';
import {
  createKeyLookup,
  createWorkerKeyLookup,
  digestOf,
  hashKey,
  newKey,
  newNotificationSecret,
  newShortId,
  requireValidKey,
} from './keys.js';
import type { FollowedAccounts, SetupStore } from './setup-store.js';

/** Accounts that follow the changes of other processes until they are closed. */
interface OpenAccounts extends AccountStore {
  /** Writes the last uses of keys that are not written yet. */
  close(): Promise<void>;
}

/** The options of `openAccounts`. */
interface OpenAccountsOptions {
  /** Logs when changed accounts cannot be read, or the last uses of keys cannot be written. */
  readonly log: Log;
}

/**
 * Opens accounts. They are held in memory, and changes by other processes apply within a second. Rejects as
 * `SetupStore.follow` does.
 */
export async function openAccounts(setup: SetupStore, { log }: OpenAccountsOptions): Promise<OpenAccounts> {
  const accounts = new Accounts(setup, log);
  await accounts.open();
  return accounts;
}

interface KeyWatch {
  readonly keyId: string;
  readonly onRevoked: () => void;
}

class Accounts implements OpenAccounts {
  readonly #setup: SetupStore;
  readonly #log: Log;
  readonly #uses: KeyUseRecorder;
  readonly #keyWatches = new Set<KeyWatch>();
  readonly #listeners = new Set<() => void>();
  #followed: FollowedAccounts | null = null;
  #document = noAccounts;
  #holderOf = createKeyLookup(noAccounts);
  #workerKeyOf = createWorkerKeyLookup(noAccounts);

  constructor(setup: SetupStore, log: Log) {
    this.#setup = setup;
    this.#log = log;
    this.#uses = new KeyUseRecorder({
      write: (uses) => setup.addKeyUses(uses, (id) => this.#isKey(id)),
      onError: (error) => log('warn', `The last uses of keys could not be written: ${String(error)}`),
    });
  }

  async open(): Promise<void> {
    this.#followed = await this.#setup.follow((document) => this.#replace(document), this.#log);
  }

  holderOf(key: string): KeyHolder | null {
    return this.#holderOf(digestOf(key));
  }

  digestOf(key: string): KeyDigest {
    return digestOf(key);
  }

  holderOfDigest(digest: KeyDigest): KeyHolder | null {
    return this.#holderOf(digest);
  }

  workerKeyOf(digest: KeyDigest): WorkerKey | null {
    return this.#workerKeyOf(digest);
  }

  async refresh(): Promise<void> {
    await this.#followed?.refresh();
  }

  account(id: string): Account | null {
    return accountById(this.#document, id);
  }

  pauses(): ReadonlyMap<string, Pause> {
    return new Map(
      this.#document.accounts.flatMap(({ id, pause }) => (pause === undefined ? [] : [[id, pause]])),
    );
  }

  changePause(accountId: string, change: (pause: Pause | undefined) => Pause | undefined): Promise<void> {
    return this.#change(accountId, (account) => {
      const pause = change(account.pause);
      return pause === account.pause ? account : withPause(account, pause);
    });
  }

  changePresets(accountId: string, change: (presets: Presets) => Presets): Promise<void> {
    return this.#change(accountId, (account) => withPresets(account, change(account.presets ?? {})));
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  recordUse(keyId: string): void {
    this.#uses.record(keyId);
  }

  watchKey(keyId: string, onRevoked: () => void): () => void {
    const watch: KeyWatch = { keyId, onRevoked };
    if (this.#isKey(keyId)) this.#keyWatches.add(watch);
    else onRevoked();
    return () => this.#keyWatches.delete(watch);
  }

  async ensureOwner(key?: string): Promise<string> {
    const storedKey = await this.#setup.ownerKey();
    // Most starts find a valid owner's key and need no lock.
    if (storedKey !== null && (key ?? storedKey) === storedKey && isOwner(this.#document, storedKey))
      return storedKey;
    const owner = await ensureOwner(this.#setup, key);
    this.#replace(owner.document);
    return owner.key;
  }

  async close(): Promise<void> {
    await this.#followed?.stop();
    await this.#uses.close();
  }

  /** Replaces an account by what `change` makes of it. No-op if there is none, or if it stays the same. */
  async #change(accountId: string, change: (account: Account) => Account): Promise<void> {
    const document = await this.#setup.update(async (locked) => {
      const account = accountById(locked.accounts, accountId);
      const changed = account === null ? null : change(account);
      if (changed === null || changed === account) return locked.accounts;
      const after = withAccount(locked.accounts, changed);
      await locked.replaceAccounts(after);
      return after;
    });
    this.#replace(document);
  }

  /** Replaces the accounts, and calls those who watch a key that was revoked. */
  #replace(document: AccountsDocument): void {
    this.#document = document;
    this.#holderOf = createKeyLookup(document);
    this.#workerKeyOf = createWorkerKeyLookup(document);
    const ids = new Set(allKeys(document).map(({ id }) => id));
    for (const watch of [...this.#keyWatches].filter(({ keyId }) => !ids.has(keyId))) {
      this.#keyWatches.delete(watch);
      watch.onRevoked();
    }
    for (const listener of this.#listeners) listener();
  }

  #isKey(id: string): boolean {
    return allKeys(this.#document).some((key) => key.id === id);
  }
}

/** The same store, with the accounts of a first start, which the first use creates if no daemon has started yet. */
export function withFirstAccounts(setup: SetupStore): SetupStore {
  const accounts = async () => {
    const found = await setup.accounts();
    return found.accounts.length > 0 ? found : (await ensureOwner(setup)).document;
  };
  return {
    ...setup,
    accounts,
    async update(work) {
      await accounts();
      return setup.update(work);
    },
  };
}

/** The owner's key, and the document that contains it. */
interface Owner {
  readonly key: string;
  readonly document: AccountsDocument;
}

/**
 * Ensures that there is an account `default` and that the owner's key is a full-access key of it: `given`, else the
 * stored one, else a new one, which is stored. Rejects as `SetupStore.update` does, and with `UsageError` for a key
 * that cannot be the owner's.
 */
export async function ensureOwner(setup: SetupStore, given?: string): Promise<Owner> {
  if (given !== undefined) requireValidKey(given);
  return setup.update(async (locked) => {
    const storedKey = await locked.ownerKey();
    const key = given ?? storedKey ?? newKey();
    const document = withOwner(locked.accounts, key, new Date());
    if (document !== locked.accounts) await locked.replaceAccounts(document);
    // After the accounts: a crash in between leaves a valid old key, or none, and then the next start makes one.
    if (key !== storedKey) await locked.replaceOwnerKey(key);
    return { key, document };
  });
}

/**
 * Whether a key is a full-access key of the account `default`. Throws `UsageError` if it is another kind of
 * key.
 */
function isOwner(document: AccountsDocument, key: string): boolean {
  const digest = digestOf(key);
  if (createWorkerKeyLookup(document)(digest) !== null)
    throw new VencError('UsageError', 'The API key in VENC_API_KEY is a worker key.', {
      hint: 'unset VENC_API_KEY, or set it to a full access key: venc keys create',
    });
  const holder = createKeyLookup(document)(digest);
  if (holder === null) return false;
  if (holder.account.id === defaultAccountId && holder.kind === 'full') return true;
  throw new VencError(
    'UsageError',
    'The API key in VENC_API_KEY is already that of another account, or a read-only one.',
  );
}

/** The document with this key as the owner's; the same document if it already is. Throws as `isOwner` does. */
function withOwner(before: AccountsDocument, key: string, now: Date): AccountsDocument {
  if (isOwner(before, key)) return before;
  const createdAt = now.toISOString();
  const account = {
    id: defaultAccountId,
    name: 'default',
    isIntegration: false,
    createdAt,
    notificationSecret: newNotificationSecret(),
  };
  const known = accountById(before, defaultAccountId) === null ? withAccount(before, account) : before;
  const id = newShortId(allKeys(before));
  return withKey(known, { id, accountId: defaultAccountId, kind: 'full', hash: hashKey(key), createdAt });
}
