import type { Transfer } from './transfer.js';

/** Tells the progress of one transfer, not too often and never backwards. */
export interface Meter {
  /** Bytes done so far, of `totalBytes`; null where the total is not known. */
  at(doneBytes: number, totalBytes: number | null): void;
  /** All bytes are done: always told. */
  end(totalBytes: number): void;
}

const intervalMs = 250;

/** A meter that reports to a transfer at most four times a second, and once at its end. */
export function createMeter(transfer: Transfer): Meter {
  let furthest = 0;
  let nextAt = 0;
  return {
    at(doneBytes, totalBytes) {
      // A download that has to start over does not go back: it stands until it is as far again.
      furthest = Math.max(furthest, doneBytes);
      const now = performance.now();
      if (now < nextAt) return;
      nextAt = now + intervalMs;
      transfer.onProgress(furthest, totalBytes);
    },
    end(totalBytes) {
      transfer.onProgress(totalBytes, totalBytes);
    },
  };
}
