import { jsonText } from '../../shared/text/safe-text.js';
import { humanDuration, humanPercent, humanRate, humanSize } from '../../shared/text/units.js';
import type { Io } from './io.js';
import type { BarLine } from './progress-bar.js';
import type { ProgressMode } from './progress-mode.js';

/** Shows the progress of one operation on stderr. */
export interface ProgressDisplay {
  /** `percent` is 0-100; `activity` describes what is happening; `record` is printed by `--progress json`. */
  update(percent: number, activity: string, record: object): void;
  /** Writes a message above the display. */
  writeStderr(text: string): void;
  /** Writes information above the display, unless the command is quiet. */
  writeInfo(text: string): void;
  /** Clears the display while `write` writes to the same terminal, then draws it again below. */
  withDisplayHidden(write: () => Promise<void>): Promise<void>;
  /** Stops updating the display and leaves it on the screen. */
  stop(): void;
}

/** Milliseconds between two lines of plain progress. */
const lineEveryMs = 3000;

/** Creates a display for the mode. The progress bar is loaded only if it is used. `line` replaces its usual line. */
export async function openProgressDisplay(
  io: Io,
  mode: ProgressMode,
  title: string,
  line?: BarLine,
): Promise<ProgressDisplay> {
  if (mode === 'tty') {
    const { createProgressBar } = await import('./progress-bar.js');
    const bar = createProgressBar(io, title, line);
    return { ...bar, writeInfo: bar.writeStderr };
  }
  const writeStderr = (text: string) => io.writeStderr(text);
  const silentDisplay = {
    writeStderr,
    writeInfo: (text: string) => io.writeInfo(text),
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
export interface TransferDisplay extends Omit<ProgressDisplay, 'update'> {
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
  const { update, ...display } = await openProgressDisplay(io, mode, title);
  const activity = transferText(() => performance.now());
  let reportedAt = Number.NEGATIVE_INFINITY;
  return {
    report: (done, total) => {
      const now = performance.now();
      if (done !== total && now - reportedAt < reportEveryMs) return;
      reportedAt = now;
      const percent = total === null || total === 0 ? 0 : Math.floor((done / total) * 10_000) / 100;
      update(percent, activity(done, total), recordOf(done, total));
    },
    ...display,
  };
}

/** Formats the activity of a transfer: `12.0 MB of 40.0 MB, 3.2 MB/s, 9s left`. */
type TransferText = (doneBytes: number, totalBytes: number | null) => string;

/** Time constant of the smoothing of the rate, in milliseconds. */
const smoothingMs = 3000;

/** Creates the formatter for one transfer. `clock` is a monotonic clock in milliseconds. */
export function transferText(clock: () => number): TransferText {
  let first: { readonly atMs: number; readonly bytes: number } | null = null;
  let last = { atMs: 0, bytes: 0 };
  let rate: number | null = null;
  return (doneBytes, totalBytes) => {
    const atMs = clock();
    // Bytes from an earlier run do not count towards the rate.
    first ??= { atMs, bytes: doneBytes };
    const elapsedMs = atMs - last.atMs;
    if (atMs > first.atMs && elapsedMs >= 100) {
      const now = Math.max(0, ((doneBytes - Math.max(last.bytes, first.bytes)) / elapsedMs) * 1000);
      const weight = rate === null ? 1 : 1 - Math.exp(-elapsedMs / smoothingMs);
      rate = (rate ?? 0) + weight * (now - (rate ?? 0));
      last = { atMs, bytes: doneBytes };
    } else if (atMs === first.atMs) {
      last = { atMs, bytes: doneBytes };
    }
    const size =
      totalBytes === null ? humanSize(doneBytes) : `${humanSize(doneBytes)} of ${humanSize(totalBytes)}`;
    if (rate === null || rate <= 0) return size;
    const hasRemaining = totalBytes !== null && doneBytes < totalBytes;
    const left = hasRemaining ? `, ${humanDuration((totalBytes - doneBytes) / rate)} left` : '';
    return `${size}, ${humanRate(rate)}${left}`;
  };
}
