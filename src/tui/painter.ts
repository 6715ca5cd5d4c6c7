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

/** Limits how often frames are drawn. */
interface RepaintScheduler<Frame> {
  /** Draws a frame soon, unless a newer one replaces it; immediately if urgent. */
  requestFrame(frame: Frame, isUrgent?: boolean): void;
  /** Stops drawing. */
  stop(): void;
}

/** The clock and the timers of a scheduler. */
interface RepaintTimers {
  now(): number;
  /** Calls `callback` once after a delay. Returns a function that cancels it. */
  setTimer(milliseconds: number, callback: () => void): () => void;
}

const systemClock: RepaintTimers = {
  now: () => performance.now(),
  setTimer: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

const minGapMs = 480;
const maxGapMs = 2500;
/** Maximum share of time spent on drawing, so that a slow machine draws less often. */
const maxDrawingShare = 1 / 100;

/** Draws a frame at most every 480 ms, less often if drawing is slow, and always draws the latest one. */
export function createRepaintScheduler<Frame>(
  draw: (frame: Frame) => void,
  clock: RepaintTimers = systemClock,
): RepaintScheduler<Frame> {
  let nextAt = 0;
  let pending: { readonly frame: Frame } | null = null;
  let cancelTimer: (() => void) | null = null;
  let isStopped = false;

  function drawNow(frame: Frame): void {
    cancelTimer?.();
    cancelTimer = null;
    pending = null;
    const from = clock.now();
    draw(frame);
    const to = clock.now();
    nextAt = to + Math.min(maxGapMs, Math.max(minGapMs, (to - from) / maxDrawingShare));
  }

  return {
    requestFrame: (frame, isUrgent = false) => {
      if (isStopped) return;
      const waitMs = nextAt - clock.now();
      if (isUrgent || waitMs <= 0) {
        drawNow(frame);
        return;
      }
      pending = { frame };
      cancelTimer ??= clock.setTimer(waitMs, () => {
        cancelTimer = null;
        if (pending !== null) drawNow(pending.frame);
      });
    },
    stop: () => {
      isStopped = true;
      cancelTimer?.();
      cancelTimer = null;
    },
  };
}
