import progress from 'cli-progress';
import { displayWidth, fitText } from '../../shared/text/display-width.js';
import { humanPercent } from '../../shared/text/units.js';
import type { Io } from './io.js';

/** A progress bar on a terminal. */
interface ProgressBar {
  /** `percent` is 0-100; `activity` describes what is happening. */
  update(percent: number, activity: string): void;
  /** Writes a message above the bar. */
  writeStderr(text: string): void;
  /** Clears the bar while `write` writes to the terminal, then draws it again below. */
  withDisplayHidden(write: () => Promise<void>): Promise<void>;
  /** Stops updating the bar and leaves it on the screen. */
  stop(): void;
}

/**
 * Creates a bar that is redrawn in place with carriage returns and line erasing only, so that a killed process leaves
 * no terminal state to repair. Messages appear above it.
 */
export function createProgressBar(
  { stderr, toTerminalSymbols }: Pick<Io, 'stderr' | 'toTerminalSymbols'>,
  title: string,
  line: BarLine = barLine,
): ProgressBar {
  let state: BarState = { title, percent: null, activity: '' };
  const columns = () => (stderr.columns > 0 ? stderr.columns : 80);
  const nothing = () => {};
  const options = {
    // Leave the last column empty: some terminals wrap when it is written.
    format: () => toTerminalSymbols(line(state, columns() - 1)),
    gracefulExit: false,
    // The terminal of the library disables line wrapping and moves the cursor to positions that have scrolled away.
    terminal: {
      isTTY: () => true,
      getWidth: columns,
      write: (text: string) => stderr.write(text),
      cursorTo: () => stderr.write('\r'),
      clearRight: () => stderr.write('\u001b[K'),
      newline: nothing,
      cursor: nothing,
      cursorSave: nothing,
      cursorRestore: nothing,
      lineWrapping: nothing,
    },
  };
  const bar = new progress.SingleBar(options);
  // On an early exit the prompt must start on a new line.
  const endLine = () => stderr.write('\n');
  process.once('exit', endLine);
  bar.start(100, 0);
  let isOver = false;
  return {
    update: (percent, activity) => {
      state = { title, percent, activity };
      bar.update(percent);
    },
    writeStderr: (text) => {
      if (isOver) return void stderr.write(text);
      bar.stop();
      stderr.write(`\r\u001b[K${text}`);
      bar.start(100, 0);
    },
    withDisplayHidden: async (write) => {
      if (isOver) return write();
      bar.stop();
      stderr.write('\r\u001b[K');
      await write();
      if (!isOver) bar.start(100, 0);
    },
    stop: () => {
      if (isOver) return;
      isOver = true;
      bar.stop();
      process.off('exit', endLine);
      endLine();
    },
  };
}

/** Formats the state of a progress bar within a number of columns. */
export type BarLine = (state: BarState, columns: number) => string;

/** The state of a progress bar. */
interface BarState {
  readonly title: string;
  /** 0-100; null if unknown. */
  readonly percent: number | null;
  /** A short description of the current activity, separated by `, `. */
  readonly activity: string;
}

/** At 80 columns this leaves space for the complete activity of a transfer. */
const maxBarColumns = 20;
const minBarColumns = 6;
const percentColumns = 6;
const minTitleColumns = 8;

/**
 * Formats `job 12 [#####-----]  45.2% transcoding, 118 fps, 12s left` within `columns`. On narrow terminals the bar
 * gets shorter, then parts of the activity are dropped; the remaining time is kept longest.
 */
export function barLine({ title, percent, activity }: BarState, columns: number): string {
  const shown = percent === null ? '' : humanPercent(percent).padStart(percentColumns);
  const bar = barText(percent ?? 0, Math.min(maxBarColumns, Math.floor((columns - 20) / 2)));
  const availableColumns = columns - percentColumns - 1 - (bar === '' ? 0 : bar.length + 1);
  const name = fitText(title, Math.max(minTitleColumns, Math.floor(availableColumns / 2)));
  const words = fitActivity(activity, availableColumns - displayWidth(name) - 1);
  return [name, bar, shown, words].filter((part) => part !== '').join(' ');
}

function barText(percent: number, columns: number): string {
  if (columns < minBarColumns) return '';
  const done = Math.max(0, Math.min(columns, Math.floor((percent / 100) * columns)));
  return `[${'#'.repeat(done)}${'-'.repeat(columns - done)}]`;
}

function fitActivity(activity: string, columns: number): string {
  let parts = activity.split(', ');
  while (parts.length > 0 && displayWidth(parts.join(', ')) > columns) {
    parts = parts.length > 2 ? [...parts.slice(0, -2), ...parts.slice(-1)] : parts.slice(1);
  }
  return parts.join(', ');
}
