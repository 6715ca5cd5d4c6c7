/** Jobs that wait for a slot, each once, in the order in which they came. */
export class FifoQueue {
  #ids = new Set<number>();

  /** Puts a job at the end; one that waits already keeps its place. */
  push(id: number): void {
    this.#ids.add(id);
  }

  /** Puts a job back to where it was taken from. */
  unshift(id: number): void {
    this.#ids = new Set([id, ...this.#ids]);
  }

  remove(id: number): void {
    this.#ids.delete(id);
  }

  clear(): void {
    this.#ids.clear();
  }

  /** The first of those that may go, or null. */
  findFirst(isReady: (id: number) => boolean): number | null {
    for (const id of this.#ids) if (isReady(id)) return id;
    return null;
  }
}
