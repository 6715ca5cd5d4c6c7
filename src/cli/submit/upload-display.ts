import type { FileToUpload } from '../input/files.js';
import type { Io } from '../terminal/io.js';
import { openTransferDisplay, type TransferDisplay } from '../terminal/progress-display.js';
import type { ProgressMode } from '../terminal/progress-mode.js';

/** Shows the progress of uploads. */
export interface UploadDisplay {
  /** Starts a file. `report` takes the number of bytes uploaded so far. */
  start(
    file: FileToUpload,
  ): Promise<{ readonly report: (doneBytes: number) => void; readonly finish: () => void }>;
  /** Writes a message. */
  writeStderr(text: string): void;
  /** Hides the display while `write` writes to the same terminal. */
  withDisplayHidden(write: () => Promise<void>): Promise<void>;
  /** Stops the display. */
  stop(): void;
}

/** Creates a separate display for each file. */
export function createPerFileDisplay(io: Io, mode: ProgressMode): UploadDisplay {
  return {
    start: async ({ sizeBytes }) => {
      const recordOf = (done: number) => ({ sent_bytes: done, total_bytes: sizeBytes });
      const { report, stop } = await openTransferDisplay(io, mode, 'upload', recordOf);
      return { report: (done) => report(done, sizeBytes), finish: stop };
    },
    writeStderr: io.writeStderr,
    withDisplayHidden: (write) => write(),
    stop: () => {},
  };
}

/** Creates one display for all files together, shown from the first file on. */
export function createTotalDisplay(
  io: Io,
  mode: ProgressMode,
  files: readonly FileToUpload[],
): UploadDisplay {
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let display: TransferDisplay | null = null;
  let finishedBytes = 0;
  let name = '';
  const recordOf = (done: number) => ({ file: name, sent_bytes: done, total_bytes: totalBytes });
  return {
    start: async ({ path, sizeBytes }) => {
      display ??= await openTransferDisplay(io, mode, titleOf(files.length), recordOf);
      const { report } = display;
      name = path;
      return {
        report: (done) => report(finishedBytes + done, totalBytes),
        // Also counts files that failed.
        finish: () => {
          finishedBytes += sizeBytes;
        },
      };
    },
    writeStderr: (text) => (display ?? io).writeStderr(text),
    withDisplayHidden: (write) => (display === null ? write() : display.withDisplayHidden(write)),
    stop: () => display?.stop(),
  };
}

function titleOf(count: number): string {
  return count === 1 ? 'upload' : `${count} uploads`;
}
