import { jsonText } from '../../shared/text/safe-text.js';
import { transferText } from '../output/transfer-text.js';
import { humanPercent } from '../output/units.js';
import type { Io } from './io.js';
import type { ProgressMode } from './progress-mode.js';

/** Shows the progress of one operation on stderr. */
export interface ProgressDisplay {
  /** `percent` is 0-100; `activity` describes what is happening; `record` is printed by `--progress json`. */
  update(percent: number, activity: string, record: object): void;
  /** Writes a message above the display. */
  writeStderr(text: string): void;
  /** Clears the display while `write` writes to the same terminal, then draws it again below. */
  withDisplayHidden(write: () => Promise<void>): Promise<void>;
  /** Stops updating the display and leaves it on the screen. */
  stop(): void;
}

/** Milliseconds between two lines of plain progress. */
const lineEveryMs = 3000;

/** Creates a display for the mode. The progress bar is loaded only if it is used. */
export async function openProgressDisplay(
  io: Io,
  mode: ProgressMode,
  title: string,
): Promise<ProgressDisplay> {
  if (mode === 'tty') {
    const { createProgressBar } = await import('./progress-bar.js');
    return createProgressBar(io, title);
  }
  const writeStderr = (text: string) => io.writeStderr(text);
  const silentDisplay = {
    writeStderr,
    withDisplayHidden: (write: () => Promise<void>) => write(),
    stop: () => {},
  };
  if (mode === 'plain') return { update: plainLines(io, title), ...silentDisplay };
  if (mode === 'json') return { update: jsonLines(io, title), ...silentDisplay };
  return { update: () => {}, ...silentDisplay };
}

function jsonLines(io: Io, title: string): ProgressDisplay['update'] {
  let last = '';
  return (percent, _activity, record) => {
    const line = jsonText({ event: title, percent, ...record });
    if (line !== last) io.writeStderr(`${line}\n`);
    last = line;
  };
}

function plainLines(io: Io, title: string): ProgressDisplay['update'] {
  let writtenAt = performance.now();
  return (percent, activity) => {
    const now = performance.now();
    if (now - writtenAt < lineEveryMs) return;
    writtenAt = now;
    io.writeStderr(`venc: ${title} ${[humanPercent(percent), activity].filter(Boolean).join(', ')}\n`);
  };
}

/** Shows the progress of one transfer. */
export interface TransferDisplay extends Pick<ProgressDisplay, 'writeStderr' | 'withDisplayHidden' | 'stop'> {
  /** Reports the bytes done and the total; null if unknown. */
  readonly report: (doneBytes: number, totalBytes: number | null) => void;
}

/** Minimum interval between two updates, because reports come with every chunk. */
const reportEveryMs = 100;

/** Creates a display for one transfer, on stderr. `recordOf` returns the object for `--progress json`. */
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
