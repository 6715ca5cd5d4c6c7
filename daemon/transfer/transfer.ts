import { jobTable } from '../../src/shared/settings/index.js';
import type { FileAccess } from '../jobs/output-files.js';

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
