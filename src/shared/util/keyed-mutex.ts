/** Runs at most one task per key at a time, in the order of the calls. Tasks of different keys run concurrently. */
export class KeyedMutex<Key> {
  readonly #last = new Map<Key, Promise<unknown>>();

  /** Runs `task` after all earlier tasks of this key have settled; settles as it does. */
  runExclusive<T>(key: Key, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const result = before === undefined ? task() : before.then(task, task);
    this.#last.set(key, result);
    const forget = () => {
      if (this.#last.get(key) === result) this.#last.delete(key);
    };
    result.then(forget, forget);
    return result;
  }

  /** Whether a task of this key is running or waiting. */
  isLocked(key: Key): boolean {
    return this.#last.has(key);
  }

  /** Resolves when no task is left. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.allSettled(this.#last.values());
  }
}
