import type { FileToUpload } from '../input/files.js';
import type { Io } from '../terminal/io.js';
import type { ProgressMode } from '../terminal/progress-mode.js';
import { openTransfer, type TransferDisplay } from '../terminal/transfer-display.js';

/** Shows the progress of uploads. */
export interface UploadDisplay {
  /** Begins a file; `report` takes the bytes of it that are done. */
  begin(
    file: FileToUpload,
  ): Promise<{ readonly report: (doneBytes: number) => void; readonly end: () => void }>;
  /** Writes a remark. */
  note(text: string): void;
  /** Makes room for what `write` writes to the same terminal. */
  aside(write: () => Promise<void>): Promise<void>;
  /** Ends it. */
  stop(): void;
}

/** A display of its own for each file. */
export function displayForEach(io: Io, mode: ProgressMode): UploadDisplay {
  return {
    begin: async ({ sizeBytes }) => {
      const recordOf = (done: number) => ({ sent_bytes: done, total_bytes: sizeBytes });
      const { report, stop } = await openTransfer(io, mode, 'upload', recordOf);
      return { report: (done) => report(done, sizeBytes), end: stop };
    },
    note: io.note,
    aside: (write) => write(),
    stop: () => {},
  };
}

/** One display for all files together, drawn from the first one on. */
export function displayForAll(io: Io, mode: ProgressMode, files: readonly FileToUpload[]): UploadDisplay {
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  let display: TransferDisplay | null = null;
  let passedBytes = 0;
  let name = '';
  const recordOf = (done: number) => ({ file: name, sent_bytes: done, total_bytes: totalBytes });
  return {
    begin: async ({ path, sizeBytes }) => {
      display ??= await openTransfer(io, mode, titleOf(files.length), recordOf);
      const { report } = display;
      name = path;
      return {
        report: (done) => report(passedBytes + done, totalBytes),
        // One that failed is over as well.
        end: () => {
          passedBytes += sizeBytes;
        },
      };
    },
    note: (text) => (display ?? io).note(text),
    aside: (write) => (display === null ? write() : display.aside(write)),
    stop: () => display?.stop(),
  };
}

function titleOf(count: number): string {
  return count === 1 ? 'upload' : `${count} uploads`;
}
