import { jobTable } from '../../src/shared/settings/index.js';
import type { FileAccess } from '../jobs/file-access.js';
import type { AsperaSettings, FileFacts } from '../jobs/job.js';

/**
 * Decides which files an upload to this machine may replace, and remembers the new ones. Files have their `identityOf`.
 */
export interface ReplacementGuard {
  /** Rejects with `UploadFailureError` if an existing file must stay. `name` is its name, for the message. */
  readonly requireReplaceable: (file: string, name: string) => Promise<void>;
  /** Remembers a file that is about to get its name. Resolves once that survives a crash. */
  readonly remember: (file: string) => Promise<void>;
}

/** Options of the transfer of one file. */
export interface Transfer {
  /** Aborts the transfer. No partial file is left at the destination. */
  readonly signal: AbortSignal;
  /**
   * Size and MD5 of a file that is uploaded, if they are known: a destination on this machine then does not read it.
   */
  readonly facts?: FileFacts;
  /** Computes the MD5 even where nobody is shown it. */
  readonly needsMd5?: boolean;
  /** Called at most four times a second with the bytes done and the total, which is null if unknown. */
  readonly onProgress: (doneBytes: number, totalBytes: number | null) => void;
  /**
   * Maximum number of connections of a download (`download_connections`, section 4.1); by default the transport
   * decides.
   */
  readonly connections?: number;
  /** How `ascp` downloads from an Aspera server. */
  readonly aspera?: AsperaSettings;
  /** Who may read an uploaded file, if the destination supports grants; the destination's default otherwise. */
  readonly access?: FileAccess;
  /** Headers of the object, by name in lower case, if the destination is a bucket: see `objectHeaders`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For an upload to this machine; without it any file is replaced. Other destinations ignore it. */
  readonly replacement?: ReplacementGuard;
  /** Called with what could not be done for a file that was delivered all the same: a sentence without secrets. */
  readonly onWarning?: (sentence: string) => void;
  /** Maximum number of parts that an upload sends in parallel; the transport may use fewer. */
  readonly parallelParts?: number;
}

/** The default number of connections of a download (`download_connections`, section 4.1). */
export const defaultConnections = jobTable.download_connections.default;

/** Reports the progress of one transfer. The reported bytes never decrease. */
export interface ProgressReporter {
  /** Updates the bytes done; `totalBytes` is null if unknown. */
  update(doneBytes: number, totalBytes: number | null): void;
  /** Reports completion. Never throttled. */
  complete(totalBytes: number): void;
}

const intervalMs = 250;

/** Creates a reporter that calls `onProgress` at most four times a second, and once on completion. */
export function createProgressReporter(transfer: Transfer): ProgressReporter {
  let highWaterMarkBytes = 0;
  let nextUpdateAt = 0;
  return {
    update(doneBytes, totalBytes) {
      // When a download restarts, progress stays at its maximum until the download reaches it again.
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
