import type { Transfer } from './transfer.js';

/** Tells the progress of one transfer, not too often and never backwards. */
export interface ProgressReporter {
  /** Bytes done so far, of `totalBytes`; null where the total is not known. */
  update(doneBytes: number, totalBytes: number | null): void;
  /** All bytes are done: always told. */
  complete(totalBytes: number): void;
}

const intervalMs = 250;

/** A meter that reports to a transfer at most four times a second, and once at its end. */
export function createProgressReporter(transfer: Transfer): ProgressReporter {
  let highWaterMarkBytes = 0;
  let nextUpdateAt = 0;
  return {
    update(doneBytes, totalBytes) {
      // A download that has to start over does not go back: it stands until it is as far again.
      highWaterMarkBytes = Math.max(highWaterMarkBytes, doneBytes);
      const now = performance.now();
      if (now < nextUpdateAt) return;
      nextUpdateAt = now + intervalMs;
      transfer.onProgress(highWaterMarkBytes, totalBytes);
    },
    complete(totalBytes) {
      transfer.onProgress(totalBytes, totalBytes);
    },
  };
}
