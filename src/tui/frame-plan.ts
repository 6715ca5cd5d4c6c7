import { allocateRows, type RowAllocation, windowAround } from './allocate-rows.js';
import { detailCount } from './detail-rows.js';
import type { WatchState } from './watch-types.js';

/** The terminal that a frame is drawn for. */
export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
}

/** What of a state finds room on the screen. */
export interface FramePlan {
  /** How many rows each part has. */
  readonly rows: RowAllocation;
  /** The first job that is shown, and the first one behind those. */
  readonly from: number;
  readonly to: number;
}

/** The first and the last line, and the line below the frame where the cursor rests. */
export const otherRows = 3;

/** Shares the rows of a terminal among the parts of a state. */
export function planFrame(state: WatchState, size: FrameSize): FramePlan {
  const opened = state.isOpen ? state.jobs[state.selected] : undefined;
  const rows = allocateRows(size.rows - otherRows, {
    jobs: state.jobs.length,
    details: opened === undefined ? 0 : detailCount(opened),
    log: state.log.length,
  });
  return { rows, ...windowAround(state.selected, state.jobs.length, rows.jobs) };
}
