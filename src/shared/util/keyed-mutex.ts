/** Runs work on one thing one piece after the other, and on different things side by side. A thing is named by an id, or some such. */
export class Chains<Id> {
  readonly #last = new Map<Id, Promise<unknown>>();

  /** Runs `work` once all earlier work on this id has ended, well or badly; settles as it does. */
  run<T>(id: Id, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(id);
    const result = before === undefined ? work() : before.then(work, work);
    this.#last.set(id, result);
    const forget = () => {
      if (this.#last.get(id) === result) this.#last.delete(id);
    };
    result.then(forget, forget);
    return result;
  }

  /** Resolves when no work is left. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.allSettled(this.#last.values());
  }
}
