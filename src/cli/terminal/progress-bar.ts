import progress from 'cli-progress';
import { type BarState, barLine } from '../output/bar-line.js';
import type { Io } from './io.js';

/** A bar that is drawn. */
export interface ProgressBar {
  /** `percent` is 0-100; `activity` is a few words on what is going on. */
  update(percent: number, activity: string): void;
  /** Writes a message above the bar. */
  writeStderr(text: string): void;
  /** Clears the bar for something else that writes to the terminal, and draws it again below. */
  withDisplayHidden(write: () => Promise<void>): Promise<void>;
  /** Ends it; it stays as it was drawn last. */
  stop(): void;
}

/**
 * A bar on a terminal, repainted in its line by carriage return and erasing alone: a program that leaves at once, or is killed, then
 * leaves nothing to repair. Remarks stand above it.
 */
export function createProgressBar(
  { stderr, toTerminalSymbols }: Pick<Io, 'stderr' | 'toTerminalSymbols'>,
  title: string,
): ProgressBar {
  let state: BarState = { title, percent: null, activity: '' };
  const columns = () => (stderr.columns > 0 ? stderr.columns : 80);
  const nothing = () => {};
  const options = {
    // The last column stays free: some terminals wrap as soon as it is written to.
    format: () => toTerminalSymbols(barLine(state, columns() - 1)),
    gracefulExit: false,
    // What the library has for this wraps no lines any more and moves the cursor back to places that have scrolled away.
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
  // Who is left at once finds its prompt on a line of its own.
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
