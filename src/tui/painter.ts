import { stripVTControlCharacters } from 'node:util';
import { displayWidth } from '../shared/text/display-width.js';

/** The part of a terminal that is painted on. */
export interface Canvas {
  write(text: string): unknown;
}

/** Puts frames on a terminal, each over the one before. */
export interface Painter {
  /** Puts the rows of a frame on the terminal, each within the terminal's width. Rows that stay as they are are not written. */
  paint(rows: readonly string[]): void;
  /** Forgets what stands on the terminal: the next frame is painted on a clear one. */
  invalidate(): void;
  /** Gives the terminal back as it was found, until it is taken again. */
  release(): void;
  /** Takes the terminal again, whatever was done to it: the next frame is painted on a clear one. */
  reacquire(): void;
  /** Gives the terminal back as it was found, and writes `last` below what stood there. A second call does nothing. */
  close(last?: string): void;
}

const csi = '\u001b[';
// The second screen of the terminal has no past to scroll into, and its rows are not wrapped again when the terminal is resized.
const enter = `${csi}?1049h${csi}?25l`;
const leave = `${csi}?25h${csi}?1049l`;
const clear = `${csi}H${csi}2J`;
// Behind a row that fills the terminal this would wipe its last cell, where the cursor still is.
const wipeRest = `${csi}K`;
// What stands between the two is shown at once, in terminals that know of it; the others show it as it comes.
const begin = `${csi}?2026h`;
const end = `${csi}?2026l`;

/**
 * Takes the second screen of a terminal and paints frames there, so that the first stays as it is until the end. Whatever was on a row
 * is overwritten in place, never wiped first: nothing flickers.
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
