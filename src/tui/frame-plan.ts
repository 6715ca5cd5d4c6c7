import { detailCount } from './file-rows.js';
import type { WatchState } from './watch-types.js';

/** The terminal that a frame is drawn for. */
export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
}

/** The part of a state that fits on the screen. */
export interface FramePlan {
  /** How many rows each part has. */
  readonly rows: RowAllocation;
  /** The first job that is shown, and the first one behind those. */
  readonly from: number;
  readonly to: number;
}

/** The first and the last line, and the line below the frame where the cursor rests. */
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

// The log shows the latest few lines, and keeps three of them before the details take what is left.
const maxLogRows = 6;
const minLogRows = 3;
const minJobRows = 3;

/**
 * Distributes `rows` among the parts between the first and the last line, one of them for the gap above the log. The sum
 * never exceeds `rows`: a frame taller than the terminal could not be drawn over.
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

/** The part of a list to show so that the selected row is in it: `from` and, not included, `to`. */
export function windowAround(
  selected: number,
  length: number,
  available: number,
): { readonly from: number; readonly to: number } {
  const from = Math.max(0, Math.min(selected - Math.floor(available / 2), length - available));
  return { from, to: Math.min(length, from + available) };
}
