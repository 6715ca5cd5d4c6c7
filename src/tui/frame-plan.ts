import { detailCount } from './file-rows.js';
import type { WatchState } from './watch-types.js';

/** The terminal that a frame is drawn for. */
export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
}

/** The part of a state that fits on the screen. */
interface FramePlan {
  /** The number of rows of each part. */
  readonly rows: RowAllocation;
  /** The index of the first job shown, and of the first one after them. */
  readonly from: number;
  readonly to: number;
}

/** The first and the last line of the frame, and the line below it, where the cursor is. */
export const otherRows = 3;

/** Distributes the rows of a terminal among the parts of a state. */
export function planFrame(state: WatchState, size: FrameSize): FramePlan {
  const opened = state.isOpen ? state.jobs[state.selected] : undefined;
  const rows = allocateRows(size.rows - otherRows, {
    jobs: state.jobs.length,
    details: opened === undefined ? 0 : detailCount(opened),
    log: state.log.length,
  });
  return { rows, ...windowAround(state.selected, state.jobs.length, rows.jobs) };
}

/** The number of rows for each part of the screen. */
export interface RowAllocation {
  readonly jobs: number;
  readonly details: number;
  readonly log: number;
}

// The log shows the latest lines, at least three of them before the details use the remaining rows.
const maxLogRows = 6;
const minLogRows = 3;
const minJobRows = 3;

/**
 * Distributes `rows` among the parts between the first and the last line, with a row for the gap above the log. The sum
 * never exceeds `rows`, because a frame that is taller than the terminal cannot be redrawn in place.
 */
export function allocateRows(rows: number, requested: RowAllocation): RowAllocation {
  const available = Math.max(1, rows);
  const keptForLog = available >= 12 ? Math.min(requested.log, minLogRows) + 1 : 0;
  const keptForJobs = Math.min(requested.jobs, minJobRows, available);
  const details = Math.min(requested.details, Math.max(0, available - keptForLog - keptForJobs));
  const jobs = Math.min(
    requested.jobs,
    available - details - Math.min(keptForLog, available - details - keptForJobs),
  );
  const log = Math.min(requested.log, maxLogRows, Math.max(0, available - details - jobs - 1));
  return { jobs, details, log };
}

/** The range of a list to show, which includes the selected row: `from`, and `to` (exclusive). */
export function windowAround(
  selected: number,
  length: number,
  available: number,
): { readonly from: number; readonly to: number } {
  const from = Math.max(0, Math.min(selected - Math.floor(available / 2), length - available));
  return { from, to: Math.min(length, from + available) };
}
