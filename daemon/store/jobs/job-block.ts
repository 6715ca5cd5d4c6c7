/** Number of words of 32 bits of a job in a block. */
export const wordsPerJob = 8;

/** Rows are added to a new block one by one: the array grows by half. */
const firstCapacity = 8;

/**
 * The jobs of one folder of ids, as rows of words in one typed array, ordered by id. The first word of a row is the
 * id. Objects were rejected: an entry with its usage takes about 400 bytes, a row takes 32.
 */
export class JobBlock {
  #words: Uint32Array;
  #count: number;

  /** Takes over the rows of an index. */
  constructor(words: Uint32Array<ArrayBufferLike> = new Uint32Array(0)) {
    this.#words = words;
    this.#count = words.length / wordsPerJob;
  }

  get size(): number {
    return this.#count;
  }

  /** All rows. The array must not be changed, and is valid until the next change of the block. */
  get words(): Uint32Array {
    return this.#words.subarray(0, this.#count * wordsPerJob);
  }

  /** The row of a job; undefined if there is none. */
  get(id: number): Uint32Array | undefined {
    const position = this.#positionOf(id);
    return this.#idAt(position) === id ? this.#rowAt(position) : undefined;
  }

  /** The row of a job to write to, zero except for its id. It is added if it is missing. */
  put(id: number): Uint32Array {
    const position = this.#positionOf(id);
    if (this.#idAt(position) !== id) this.#insert(position);
    const row = this.#rowAt(position).fill(0);
    row[0] = id;
    return row;
  }

  /** Removes a job; no-op if it is missing. */
  delete(id: number): void {
    const position = this.#positionOf(id);
    if (this.#idAt(position) !== id) return;
    this.#words.copyWithin(position * wordsPerJob, (position + 1) * wordsPerJob, this.#count * wordsPerJob);
    this.#count -= 1;
  }

  #insert(position: number): void {
    if ((this.#count + 1) * wordsPerJob > this.#words.length) {
      const capacity = Math.max(firstCapacity, Math.ceil(this.#count * 1.5));
      const words = new Uint32Array(capacity * wordsPerJob);
      words.set(this.words);
      this.#words = words;
    }
    const start = position * wordsPerJob;
    this.#words.copyWithin(start + wordsPerJob, start, this.#count * wordsPerJob);
    this.#count += 1;
  }

  #rowAt(position: number): Uint32Array {
    return this.#words.subarray(position * wordsPerJob, (position + 1) * wordsPerJob);
  }

  /** The id at a position; undefined after the last one. */
  #idAt(position: number): number | undefined {
    return position < this.#count ? this.#words[position * wordsPerJob] : undefined;
  }

  /** The position of an id, or where it would be inserted. */
  #positionOf(id: number): number {
    let low = 0;
    let high = this.#count;
    // Most jobs are added at the end.
    if (high > 0 && (this.#idAt(high - 1) ?? 0) < id) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#idAt(middle) ?? 0) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
