/** Which bytes of a file are there, as stretches from a first byte to the one behind the last. They may come in any order. */
export class ByteRangeSet {
  #ranges: { readonly from: number; readonly to: number }[] = [];

  /** Bytes that are there. */
  get totalBytes(): number {
    return this.#ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  /** Adds the bytes from `from` up to `to`, some of which may be there already. */
  add(from: number, to: number): void {
    if (to <= from) return;
    const separate = this.#ranges.filter((range) => range.to < from || range.from > to);
    const adjacent = this.#ranges.filter((range) => range.to >= from && range.from <= to);
    const merged = {
      from: Math.min(from, ...adjacent.map((range) => range.from)),
      to: Math.max(to, ...adjacent.map((range) => range.to)),
    };
    this.#ranges = [...separate, merged].sort((a, b) => a.from - b.from);
  }

  /** How far the bytes reach without a gap from `at` on; `at` itself where that byte is not there. */
  contiguousEnd(position: number): number {
    return this.#ranges.find(({ from, to }) => from <= position && position < to)?.to ?? position;
  }
}
