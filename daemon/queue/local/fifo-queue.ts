/** Jobs that wait for a slot, each once, in the order in which they came. */
export class WaitingLine {
  #ids = new Set<number>();

  /** Puts a job at the end; one that waits already keeps its place. */
  join(id: number): void {
    this.#ids.add(id);
  }

  /** Puts a job back to where it was taken from. */
  rejoinFirst(id: number): void {
    this.#ids = new Set([id, ...this.#ids]);
  }

  leave(id: number): void {
    this.#ids.delete(id);
  }

  clear(): void {
    this.#ids.clear();
  }

  /** The first of those that may go, or null. */
  first(mayGo: (id: number) => boolean): number | null {
    for (const id of this.#ids) if (mayGo(id)) return id;
    return null;
  }
}
