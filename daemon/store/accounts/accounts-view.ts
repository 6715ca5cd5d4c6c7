import type { Account, KeyDigest, KeyHolder, WorkerKey } from '../account-store.js';
import { type AccountsDocument, accountById, allKeys } from './accounts-document.js';
import { createKeyLookup, createWorkerKeyLookup, type KeyLookup } from './keys.js';

interface KeyWatch {
  readonly keyId: string;
  readonly onRevoked: () => void;
}

/** The accounts in memory: what every request asks, and who waits for the end of a key. */
export class AccountsView {
  #document: AccountsDocument;
  #holderOf: KeyLookup<KeyHolder>;
  #workerKeyOf: KeyLookup<WorkerKey>;
  readonly #keyWatches = new Set<KeyWatch>();

  constructor(document: AccountsDocument) {
    this.#document = document;
    this.#holderOf = createKeyLookup(document);
    this.#workerKeyOf = createWorkerKeyLookup(document);
  }

  get document(): AccountsDocument {
    return this.#document;
  }

  /** Replaces the accounts, and calls those who watch a key that was revoked. */
  replace(document: AccountsDocument): void {
    this.#document = document;
    this.#holderOf = createKeyLookup(document);
    this.#workerKeyOf = createWorkerKeyLookup(document);
    const ids = new Set(allKeys(document).map(({ id }) => id));
    for (const watch of [...this.#keyWatches].filter(({ keyId }) => !ids.has(keyId))) {
      this.#keyWatches.delete(watch);
      watch.onRevoked();
    }
  }

  /** See `AccountStore.holderOfDigest`. */
  holderOf(digest: KeyDigest): KeyHolder | null {
    return this.#holderOf(digest);
  }

  /** See `AccountStore.workerKeyOf`. */
  workerKeyOf(digest: KeyDigest): WorkerKey | null {
    return this.#workerKeyOf(digest);
  }

  account(id: string): Account | null {
    return accountById(this.#document, id);
  }

  /** See `AccountStore.watchKey`. */
  watchKey(keyId: string, onRevoked: () => void): () => void {
    const watch: KeyWatch = { keyId, onRevoked };
    if (this.isKey(keyId)) this.#keyWatches.add(watch);
    else onRevoked();
    return () => this.#keyWatches.delete(watch);
  }

  isKey(id: string): boolean {
    return allKeys(this.#document).some((key) => key.id === id);
  }
}
