import { VencError } from '../../../src/shared/errors.js';
import type { Log } from '../../../src/shared/util/log.js';
import { defaultAccountId } from '../../jobs/job.js';
import type {
  Account,
  AccountStore,
  KeyDigest,
  KeyHolder,
  OpenHoursSpan,
  Pause,
  Presets,
  StoredSession,
  WorkerKey,
} from '../account-store.js';
import {
  type AccountsDocument,
  accountById,
  accountByName,
  allKeys,
  expiryMsOf,
  isRetired,
  kindOf,
  noAccounts,
  withAccount,
  withKey,
  withOpenHours,
  withPause,
  withPresets,
  withSessions,
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
  /** The clock by which keys expire; that of the machine if absent. */
  readonly now?: () => Date;
}

/**
 * Opens accounts. They are held in memory, and changes by other processes apply within a second. Rejects as
 * `SetupStore.follow` does.
 */
export async function openAccounts(setup: SetupStore, options: OpenAccountsOptions): Promise<OpenAccounts> {
  const accounts = new Accounts(setup, options);
  await accounts.open();
  return accounts;
}

interface KeyWatch {
  readonly keyId: string;
  readonly onRevoked: () => void;
}

/** How often the keys of watches are compared with the clock at least, in milliseconds: it may be set meanwhile. */
const expiryCheckMs = 60_000;

class Accounts implements OpenAccounts {
  readonly #setup: SetupStore;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #uses: KeyUseRecorder;
  readonly #keyWatches = new Set<KeyWatch>();
  readonly #listeners = new Set<() => void>();
  #followed: FollowedAccounts | null = null;
  #checkTimer: NodeJS.Timeout | null = null;
  /** When the watches are checked next; infinite if they are not. */
  #checkAtMs = Number.POSITIVE_INFINITY;
  #document = noAccounts;
  #holderOf = createKeyLookup(noAccounts);
  #workerKeyOf = createWorkerKeyLookup(noAccounts);

  constructor(setup: SetupStore, { log, now }: OpenAccountsOptions) {
    this.#setup = setup;
    this.#log = log;
    this.#now = now === undefined ? Date.now : () => now().getTime();
    this.#uses = new KeyUseRecorder({
      write: (uses) => setup.addKeyUses(uses, (id) => this.#isKey(id)),
      onError: (error) => log('warn', `The last uses of keys could not be written: ${String(error)}`),
    });
  }

  async open(): Promise<void> {
    this.#followed = await this.#setup.follow((document) => this.#replace(document), this.#log);
  }

  holderOf(key: string): KeyHolder | null {
    return this.holderOfDigest(digestOf(key));
  }

  digestOf(key: string): KeyDigest {
    return digestOf(key);
  }

  holderOfDigest(digest: KeyDigest): KeyHolder | null {
    const found = this.#holderOf(digest);
    return found !== null && found.expiresAtMs > this.#now() ? found.holder : null;
  }

  workerKeyOf(digest: KeyDigest): WorkerKey | null {
    const found = this.#workerKeyOf(digest);
    return found !== null && found.expiresAtMs > this.#now() ? found.holder : null;
  }

  expiryOf(digest: KeyDigest): Date | null {
    const found = this.#holderOf(digest) ?? this.#workerKeyOf(digest);
    return found === null || found.expiresAtMs > this.#now() ? null : new Date(found.expiresAtMs);
  }

  async refresh(): Promise<void> {
    await this.#followed?.refresh();
  }

  account(id: string): Account | null {
    return accountById(this.#document, id);
  }

  accountNamed(name: string): Account | null {
    return accountByName(this.#document, name);
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

  openHours(): OpenHoursSpan | undefined {
    return this.account(defaultAccountId)?.openHours;
  }

  changeOpenHours(change: (span: OpenHoursSpan | undefined) => OpenHoursSpan | undefined): Promise<void> {
    return this.#change(defaultAccountId, (account) => {
      const span = change(account.openHours);
      return span === account.openHours ? account : withOpenHours(account, span);
    });
  }

  changePresets(accountId: string, change: (presets: Presets) => Presets): Promise<void> {
    return this.#change(accountId, (account) => withPresets(account, change(account.presets ?? {})));
  }

  holderOfKeyId(keyId: string): KeyHolder | null {
    const key = this.#document.keys.find(({ id }) => id === keyId);
    const account = key === undefined ? null : this.account(key.accountId);
    if (key === undefined || account === null || expiryMsOf(key) <= this.#now()) return null;
    return { keyId, account, kind: kindOf(key) };
  }

  sessionOf(hash: string): { readonly accountId: string; readonly session: StoredSession } | null {
    for (const { id: accountId, sessions = [] } of this.#document.accounts) {
      const session = sessions.find((one) => one.hash === hash);
      if (session !== undefined) return { accountId, session };
    }
    return null;
  }

  changeSessions(
    accountId: string,
    change: (sessions: readonly StoredSession[]) => readonly StoredSession[],
  ): Promise<void> {
    return this.#change(accountId, (account) => {
      const before = account.sessions ?? [];
      const after = change(before);
      return after === before ? account : withSessions(account, after);
    });
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
    const expiresAtMs = this.#expiryMs(keyId);
    if (expiresAtMs > this.#now()) {
      this.#keyWatches.add(watch);
      this.#scheduleCheck(expiresAtMs);
    } else onRevoked();
    return () => this.#keyWatches.delete(watch);
  }

  async ensureOwner(key?: string): Promise<string> {
    const storedKey = await this.#setup.ownerKey();
    // Most starts find a valid owner's key and need no lock.
    if (storedKey !== null && (key ?? storedKey) === storedKey && isOwner(this.#document, storedKey))
      return storedKey;
    const owner = await ensureOwner(this.#setup, key);
    if (key !== undefined && owner.key !== key)
      this.#log(
        'warn',
        "The key in VENC_API_KEY is an earlier owner's key, which venc keys rotate has retired: it is not added again. Remove it from the environment of the daemon.",
      );
    this.#replace(owner.document);
    return owner.key;
  }

  async close(): Promise<void> {
    this.#keyWatches.clear();
    this.#cancelCheck();
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

  /** Replaces the accounts, and ends the watches of keys that were revoked. */
  #replace(document: AccountsDocument): void {
    this.#document = document;
    this.#holderOf = createKeyLookup(document);
    this.#workerKeyOf = createWorkerKeyLookup(document);
    this.#endWatches();
    for (const listener of this.#listeners) listener();
  }

  /** Calls those who watch a key that is no longer valid, and comes back when the next one expires. */
  #endWatches(): void {
    this.#cancelCheck();
    const nowMs = this.#now();
    const expiries = new Map(allKeys(this.#document).map((key) => [key.id, expiryMsOf(key)]));
    for (const watch of [...this.#keyWatches]) {
      const expiresAtMs = expiries.get(watch.keyId) ?? 0;
      if (expiresAtMs > nowMs) this.#scheduleCheck(expiresAtMs);
      else {
        this.#keyWatches.delete(watch);
        watch.onRevoked();
      }
    }
  }

  /** Checks the watches at a time, unless an earlier check is scheduled. */
  #scheduleCheck(atMs: number): void {
    if (atMs >= this.#checkAtMs) return;
    this.#cancelCheck();
    this.#checkAtMs = atMs;
    const delayMs = Math.min(atMs - this.#now(), expiryCheckMs);
    this.#checkTimer = setTimeout(() => this.#endWatches(), delayMs).unref();
  }

  #cancelCheck(): void {
    if (this.#checkTimer !== null) clearTimeout(this.#checkTimer);
    this.#checkTimer = null;
    this.#checkAtMs = Number.POSITIVE_INFINITY;
  }

  #isKey(id: string): boolean {
    return allKeys(this.#document).some((key) => key.id === id);
  }

  /** When a key expires; 0 if there is none with this id. */
  #expiryMs(id: string): number {
    const key = allKeys(this.#document).find((known) => known.id === id);
    return key === undefined ? 0 : expiryMsOf(key);
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
 * stored one, else a new one, which is stored. A key that a rotation has retired counts as none. Rejects as
 * `SetupStore.update` does, and with `UsageError` for a key that cannot be the owner's.
 */
export async function ensureOwner(setup: SetupStore, given?: string): Promise<Owner> {
  if (given !== undefined) requireValidKey(given);
  return setup.update(async (locked) => {
    const storedKey = await locked.ownerKey();
    const isUsable = (key: string | null | undefined) =>
      key !== null && key !== undefined && !isRetired(locked.accounts, hashKey(key));
    const key = [given, storedKey].find(isUsable) ?? newKey();
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
  const found = createKeyLookup(document)(digest);
  if (found === null || isRetired(document, hashKey(key))) return false;
  if (Number.isFinite(found.expiresAtMs))
    throw new VencError(
      'UsageError',
      "The API key in VENC_API_KEY expires, which the owner's key must not.",
      {
        hint: 'unset VENC_API_KEY, or set it to a full access key without --expires: venc keys create',
      },
    );
  const { account, kind } = found.holder;
  if (account.id === defaultAccountId && kind === 'full') return true;
  throw new VencError(
    'UsageError',
    'The API key in VENC_API_KEY is already that of another account, or one that can only read.',
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
