/** How many rows of the screen each part would like to have. */
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
 * Shares `rows` among the parts between the first and the last line, one of them for the gap above the log. The sum
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
