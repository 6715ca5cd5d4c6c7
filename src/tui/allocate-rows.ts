/** How many rows of the screen each part would like to have. */
export interface RowWishes {
  readonly jobs: number;
  readonly details: number;
  readonly log: number;
}

// The log shows the latest few lines, and keeps three of them before the details take what is left.
const mostLog = 6;
const leastLog = 3;
const leastJobs = 3;

/**
 * Shares `rows` among the parts between the first and the last line, one of them for the gap above the log. The sum
 * never exceeds `rows`: a frame taller than the terminal could not be drawn over.
 */
export function shareRows(rows: number, wishes: RowWishes): RowWishes {
  const room = Math.max(1, rows);
  const keptForLog = room >= 12 ? Math.min(wishes.log, leastLog) + 1 : 0;
  const keptForJobs = Math.min(wishes.jobs, leastJobs, room);
  const details = Math.min(wishes.details, Math.max(0, room - keptForLog - keptForJobs));
  const jobs = Math.min(wishes.jobs, room - details - Math.min(keptForLog, room - details - keptForJobs));
  const log = Math.min(wishes.log, mostLog, Math.max(0, room - details - jobs - 1));
  return { jobs, details, log };
}

/** The part of a list to show so that the selected row is in it: `from` and, not included, `to`. */
export function windowAround(
  selected: number,
  length: number,
  room: number,
): { readonly from: number; readonly to: number } {
  const from = Math.max(0, Math.min(selected - Math.floor(room / 2), length - room));
  return { from, to: Math.min(length, from + room) };
}
