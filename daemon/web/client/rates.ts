import type { Upload } from '../views/submit.js';

/** A rate is that of the latest seconds. In milliseconds. */
const windowMs = 4000;

interface Sample {
  readonly atMs: number;
  readonly bytes: number;
}

/** The rates of the uploads: of each, and of all together. */
export class Rates {
  readonly #samples = new Map<number, readonly Sample[]>();
  #total: number | null = null;

  /** The uploads with their rates at a time. */
  measure(uploads: readonly Upload[], atMs: number): readonly Upload[] {
    const sending = uploads.filter(({ state }) => state === 'sending');
    for (const key of this.#samples.keys())
      if (!sending.some((one) => one.key === key)) this.#samples.delete(key);
    const rates = new Map(sending.map((one) => [one.key, this.#rateOf(one, atMs)]));
    const known = [...rates.values()].filter((rate) => rate !== null);
    this.#total = known.length === 0 ? null : known.reduce((sum, rate) => sum + rate, 0);
    return uploads.map((one) => {
      const rate = rates.get(one.key) ?? null;
      return rate === one.bytesPerSecond ? one : { ...one, bytesPerSecond: rate };
    });
  }

  total(): number | null {
    return this.#total;
  }

  #rateOf({ key, sentBytes, message }: Upload, atMs: number): number | null {
    // What was sent before the document was loaded does not count.
    const before = (this.#samples.get(key) ?? []).filter(
      (one) => atMs - one.atMs < windowMs && one.bytes <= sentBytes && one.bytes > 0,
    );
    this.#samples.set(key, [...before, { atMs, bytes: sentBytes }]);
    const [first] = before;
    if (first === undefined || message !== null || atMs - first.atMs < 500) return null;
    return ((sentBytes - first.bytes) / (atMs - first.atMs)) * 1000;
  }
}
