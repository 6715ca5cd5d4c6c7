import { jobTable } from '../../src/shared/settings/index.js';
import type { FileAccess } from '../jobs/access.js';

/** What goes with one transfer of a whole file. */
export interface Transfer {
  /** Ends the transfer at once; nothing of it is left at the target. */
  readonly signal: AbortSignal;
  /** Called with the bytes done so far and their total, null where it is not known; at most some times a second. */
  readonly onProgress: (doneBytes: number, totalBytes: number | null) => void;
  /** How many connections a download may use at once (`download_connections`, section 4.1); as the transport likes where it is not given. */
  readonly connections?: number;
  /** Who may read a delivered file, where its destination knows grants; the destination's own rule where it is not given. */
  readonly access?: FileAccess;
}

/** Connections for a download where nobody names a number of them (`download_connections`, section 4.1). */
export const defaultConnections = jobTable.download_connections.default;

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
