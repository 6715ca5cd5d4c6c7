import { stripVTControlCharacters } from 'node:util';
import { displayWidth } from '../shared/text/display-width.js';

/** The output of a painter. */
interface Canvas {
  write(text: string): unknown;
}

/** Draws frames on a terminal, each over the previous one. */
interface Painter {
  /** Draws the rows of a frame, none wider than the terminal. Unchanged rows are not written. */
  paint(rows: readonly string[]): void;
  /** Makes the next frame clear the terminal first. */
  invalidate(): void;
  /** Restores the terminal until `reacquire`. */
  release(): void;
  /** Sets the terminal up again. The next frame clears it first. */
  reacquire(): void;
  /** Restores the terminal and writes `last` below its earlier content. Further calls do nothing. */
  close(last?: string): void;
}

const csi = '\u001b[';
// The alternate screen has no scrollback, and its rows are not rewrapped on resize.
const enter = `${csi}?1049h${csi}?25l`;
const leave = `${csi}?25h${csi}?1049l`;
const clear = `${csi}H${csi}2J`;
// After a row that fills the terminal this would erase its last cell, where the cursor still is.
const wipeRest = `${csi}K`;
// Synchronized output: terminals that support it show everything between the two at once; others ignore the sequences.
const begin = `${csi}?2026h`;
const end = `${csi}?2026l`;

/**
 * Opens the alternate screen of a terminal and draws frames there; the main screen stays unchanged until the end. Rows
 * are overwritten in place instead of being cleared first, so that nothing flickers.
 */
export function openPainter(canvas: Canvas): Painter {
  let shown: readonly string[] = [];
  let isClear = false;
  let isClosed = false;
  canvas.write(enter);
  return {
    paint: (rows) => {
      if (isClosed) return;
      const text = isClear ? changes(shown, rows) : clear + changes([], rows);
      shown = rows;
      isClear = true;
      if (text !== '') canvas.write(begin + text + end);
    },
    invalidate: () => {
      isClear = false;
    },
    release: () => {
      if (!isClosed) canvas.write(leave);
    },
    reacquire: () => {
      isClear = false;
      if (!isClosed) canvas.write(enter);
    },
    close: (last = '') => {
      if (isClosed) return;
      isClosed = true;
      canvas.write(leave + last);
    },
  };
}

function changes(before: readonly string[], after: readonly string[]): string {
  let text = '';
  for (const [index, row] of after.entries()) {
    const old = before[index] ?? '';
    if (row !== old) text += `${csi}${index + 1};1H${row}${widthOf(row) < widthOf(old) ? wipeRest : ''}`;
  }
  if (before.length > after.length) text += `${csi}${after.length + 1};1H${csi}J`;
  return text;
}

function widthOf(row: string): number {
  return displayWidth(stripVTControlCharacters(row));
}
