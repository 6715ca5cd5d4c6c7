import { transferText } from '../output/transfer-text.js';
import type { Io } from './io.js';
import { openProgressDisplay, type ProgressDisplay } from './progress-display.js';
import type { ProgressMode } from './progress-mode.js';

/** Shows how much of one file has been carried over. */
export interface TransferDisplay extends Pick<ProgressDisplay, 'writeStderr' | 'withDisplayHidden' | 'stop'> {
  /** Bytes done so far, and of how many; null where that is not known. */
  readonly report: (doneBytes: number, totalBytes: number | null) => void;
}

/** Reports come with every piece of a file; more than this often nobody reads them. */
const reportEveryMs = 100;

/** A display of one transfer, on stderr. `recordOf` makes what `--progress json` prints. */
export async function openTransferDisplay(
  io: Io,
  mode: ProgressMode,
  title: string,
  recordOf: (doneBytes: number, totalBytes: number | null) => object,
): Promise<TransferDisplay> {
  const display = await openProgressDisplay(io, mode, title);
  const activity = transferText(() => performance.now());
  let reportedAt = Number.NEGATIVE_INFINITY;
  return {
    report: (done, total) => {
      const now = performance.now();
      if (done !== total && now - reportedAt < reportEveryMs) return;
      reportedAt = now;
      const percent = total === null || total === 0 ? 0 : Math.floor((done / total) * 10_000) / 100;
      display.update(percent, activity(done, total), recordOf(done, total));
    },
    writeStderr: display.writeStderr,
    withDisplayHidden: display.withDisplayHidden,
    stop: display.stop,
  };
}
