/** An item of an {@link IndexedHeap}. */
export interface HeapItem {
  /** Where the heap has the item; -1 outside. Only the heap writes it. */
  heapIndex: number;
}

/**
 * A binary heap whose items can be moved and removed in logarithmic time, because each knows its position. An item is
 * in one heap at most. Call `update` after a change of what `isBefore` compares.
 */
export class IndexedHeap<T extends HeapItem> {
  readonly #items: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  /** Adds an item, or moves one whose order has changed. */
  update(item: T): void {
    if (item.heapIndex === -1) {
      item.heapIndex = this.#items.length;
      this.#items.push(item);
    }
    this.#moveDown(item, this.#moveUp(item, item.heapIndex));
  }

  /** Removes an item; no-op if absent. */
  remove(item: T): void {
    const index = item.heapIndex;
    if (index === -1) return;
    item.heapIndex = -1;
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    this.#moveDown(last, this.#moveUp(last, index));
  }

  /**
   * Visits the first item, then those behind each item for which `visit` returns true. Every item behind another one
   * comes after it in the order, so a search visits only those that can come before what it has found. Nothing may be
   * changed meanwhile.
   */
  visit(visit: (item: T) => boolean): void {
    // Level by level, and not in order: that would cost a logarithm for each item, and thousands may have to be passed
    // over.
    let level = [0];
    while (level.length > 0) {
      const nextLevel: number[] = [];
      for (const index of level) {
        const item = this.#items[index];
        if (item !== undefined && visit(item)) nextLevel.push(2 * index + 1, 2 * index + 2);
      }
      level = nextLevel;
    }
  }

  /** Moves an item from a position towards the front, and returns its position. */
  #moveUp(item: T, from: number): number {
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.#items[parentIndex];
      if (parent === undefined || !this.#isBefore(item, parent)) break;
      this.#place(parent, index);
      index = parentIndex;
    }
    this.#place(item, index);
    return index;
  }

  /** Moves an item from a position towards the end. */
  #moveDown(item: T, from: number): void {
    let index = from;
    for (let child = this.#firstChild(index); child !== undefined; child = this.#firstChild(index)) {
      if (!this.#isBefore(child, item)) break;
      const childIndex = child.heapIndex;
      this.#place(child, index);
      index = childIndex;
    }
    this.#place(item, index);
  }

  /** The child of a position that comes first. */
  #firstChild(index: number): T | undefined {
    const left = this.#items[2 * index + 1];
    const right = this.#items[2 * index + 2];
    return left !== undefined && right !== undefined && this.#isBefore(right, left) ? right : left;
  }

  #place(item: T, index: number): void {
    this.#items[index] = item;
    item.heapIndex = index;
  }
}
