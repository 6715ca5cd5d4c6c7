/** Which bytes of a file are there, as stretches from a first byte to the one behind the last. They may come in any order. */
export class ByteRanges {
  #ranges: { readonly from: number; readonly to: number }[] = [];

  /** Bytes that are there. */
  get totalBytes(): number {
    return this.#ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  /** Adds the bytes from `from` up to `to`, some of which may be there already. */
  add(from: number, to: number): void {
    if (to <= from) return;
    const apart = this.#ranges.filter((range) => range.to < from || range.from > to);
    const touched = this.#ranges.filter((range) => range.to >= from && range.from <= to);
    const joined = {
      from: Math.min(from, ...touched.map((range) => range.from)),
      to: Math.max(to, ...touched.map((range) => range.to)),
    };
    this.#ranges = [...apart, joined].sort((a, b) => a.from - b.from);
  }

  /** How far the bytes reach without a gap from `at` on; `at` itself where that byte is not there. */
  endFrom(at: number): number {
    return this.#ranges.find(({ from, to }) => from <= at && at < to)?.to ?? at;
  }
}
