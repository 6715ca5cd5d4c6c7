import { jsonText } from '../../shared/text/safe-text.js';
import { transferText } from '../output/transfer-text.js';
import { humanPercent } from '../output/units.js';
import type { Io } from './io.js';
import type { ProgressMode } from './progress-mode.js';

/** Shows how far one thing is, on stderr. */
export interface ProgressDisplay {
  /** `percent` is 0-100; `activity` is a few words on what is going on; `record` is what `--progress json` prints. */
  update(percent: number, activity: string, record: object): void;
  /** Writes a message; the display goes on below it. */
  writeStderr(text: string): void;
  /** Makes room for what `write` writes to the same terminal; the display goes on below it. */
  withDisplayHidden(write: () => Promise<void>): Promise<void>;
  /** Ends the display. What it showed last stays. */
  stop(): void;
}

/** Milliseconds between two lines of plain progress. */
const lineEveryMs = 3000;

/** A display in the mode that was chosen. What draws bars is loaded only where one is drawn. */
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

/** Shows how much of one file has been carried over. */
export interface TransferDisplay extends Pick<ProgressDisplay, 'writeStderr' | 'withDisplayHidden' | 'stop'> {
  /** Bytes done so far, and of how many; null if unknown. */
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
