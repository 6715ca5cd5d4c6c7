import type { BatchView } from '../output/batch-text.js';

/** A file of a batch as its progress counts it. */
interface BatchItem {
  /** Length in seconds; null if unknown. */
  seconds: number | null;
  /** 0-1. */
  part: number;
  isActive: boolean;
  end: BatchEnd | null;
}

/** How a file of a batch has ended. */
export type BatchEnd = 'finished' | 'failed';

/** The speed is known after this many milliseconds of work. */
const minActiveMs = 3000;
/** The weight of a file if no length is known. */
const defaultSeconds = 60;

/**
 * Adds up the progress of the files of a batch by their lengths. A file whose length is unknown counts as long as the
 * mean of the others. The percentage never falls, also if lengths turn out to be longer. The speed leaves out the time
 * in which no file is encoded. `clock` is monotonic, in milliseconds.
 */
export class BatchProgress {
  readonly #items: readonly BatchItem[];
  readonly #clock: () => number;
  #activeMs = 0;
  #countedAtMs: number;
  #isFrozen = false;
  #maxPercent = 0;

  constructor(count: number, clock: () => number) {
    this.#items = Array.from({ length: count }, () => ({
      ...{ seconds: null, part: 0, isActive: false, end: null },
    }));
    this.#clock = clock;
    this.#countedAtMs = clock();
  }

  /** Sets the length of a file in seconds. */
  setLength(index: number, seconds: number): void {
    const item = this.#items[index];
    if (item !== undefined && seconds > 0) item.seconds = seconds;
  }

  /** Sets the progress of a file, 0-100. `isActive`: it is being encoded, and does not only wait. */
  update(index: number, percent: number, isActive: boolean): void {
    const item = this.#items[index];
    if (item === undefined || item.end !== null) return;
    this.#countTime();
    item.part = Math.max(item.part, Math.min(1, percent / 100));
    item.isActive = isActive;
  }

  /** Ends a file. */
  end(index: number, end: BatchEnd): void {
    const item = this.#items[index];
    if (item === undefined || item.end !== null) return;
    this.#countTime();
    if (end === 'finished') item.part = 1;
    item.isActive = false;
    item.end = end;
  }

  /** Says whether the encoders are stopped, for example by a pause of the queue. */
  setFrozen(isFrozen: boolean): void {
    this.#countTime();
    this.#isFrozen = isFrozen;
  }

  /** The progress now. */
  view(): BatchView {
    this.#countTime();
    const mean = this.#meanSeconds();
    let [total, done, encoded] = [0, 0, 0];
    for (const { seconds, part, end } of this.#items) {
      // Nothing is left to do for a file that failed, however long it is.
      const weight = seconds ?? (end === 'failed' ? 0 : mean);
      total += weight;
      done += weight * (end === null ? part : 1);
      encoded += weight * part;
    }
    const ends = this.#items.map(({ end }) => end);
    const hasEnded = ends.every((end) => end !== null);
    const percent = hasEnded ? 100 : Math.min(99.9, total === 0 ? 0 : (done / total) * 100);
    this.#maxPercent = Math.max(this.#maxPercent, Math.floor(percent * 100) / 100);
    const speed = this.#activeMs < minActiveMs || encoded === 0 ? null : encoded / (this.#activeMs / 1000);
    return {
      count: ends.length,
      done: ends.filter((end) => end === 'finished').length,
      failed: ends.filter((end) => end === 'failed').length,
      percent: this.#maxPercent,
      speed,
      secondsLeft: speed === null || hasEnded ? null : (total - done) / speed,
    };
  }

  #meanSeconds(): number {
    const known = this.#items.flatMap(({ seconds }) => seconds ?? []);
    return known.length === 0 ? defaultSeconds : known.reduce((sum, one) => sum + one, 0) / known.length;
  }

  #countTime(): void {
    const now = this.#clock();
    const isActive = !this.#isFrozen && this.#items.some((item) => item.isActive);
    if (isActive) this.#activeMs += now - this.#countedAtMs;
    this.#countedAtMs = now;
  }
}
