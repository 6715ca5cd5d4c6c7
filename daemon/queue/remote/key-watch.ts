import type { AccountStore } from '../../store/account-store.js';

/** Remembers with which keys workers report to this daemon, and says when one is revoked. */
export class KeyWatch {
  readonly #watchKey: AccountStore['watchKey'];
  readonly #onRevoked: (keyId: string, workerIds: readonly string[]) => void;
  /** The ids of the workers, by the id of their key. */
  readonly #workers = new Map<string, Set<string>>();

  /** `onRevoked` gets a revoked key, and the workers that used it. */
  constructor(
    watchKey: AccountStore['watchKey'],
    onRevoked: (keyId: string, workerIds: readonly string[]) => void,
  ) {
    this.#watchKey = watchKey;
    this.#onRevoked = onRevoked;
  }

  /** A worker has used a key; null if it needs none. */
  note(keyId: string | null, workerId: string): void {
    if (keyId === null) return;
    const known = this.#workers.get(keyId);
    known?.add(workerId);
    if (known !== undefined) return;
    this.#workers.set(keyId, new Set([workerId]));
    this.#watchKey(keyId, () => {
      const workerIds = [...(this.#workers.get(keyId) ?? [])];
      this.#workers.delete(keyId);
      this.#onRevoked(keyId, workerIds);
    });
  }

  /** A worker has left. */
  forget(workerId: string): void {
    for (const workerIds of this.#workers.values()) workerIds.delete(workerId);
  }
}
