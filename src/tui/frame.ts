import { detailRows, rowTitle } from './file-rows.js';
import { fitColumns, rowText } from './fit-columns.js';
import { type FrameSize, planFrame, surroundingLinesOf } from './frame-plan.js';
import { failedColumns, jobCell, jobColumns } from './job-cells.js';
import { shownJobs } from './shown-jobs.js';
import { createStyler, type StyledText, type StyleText } from './tones.js';
import type { WatchState } from './watch-types.js';
import { isFailed } from './watched-job.js';

/**
 * A frame to draw. It is never wider than the terminal and always lower, because scrolled lines cannot be redrawn. ink
 * lays out the lines around the table. The table is drawn without ink, which would process every character of it in
 * each frame and cache the width of every text.
 */
export interface Frame {
  readonly columns: number;
  readonly isColoured: boolean;
  /** The line above the table and the lines below it. */
  readonly surroundingLines: readonly StyledText[];
  readonly table: readonly string[];
}

/** Options for drawing a state. */
interface FrameOptions {
  readonly size: FrameSize;
  readonly isColoured: boolean;
  /** Whether this is the last frame, which stays on the terminal without key hints. */
  readonly isLast?: boolean;
}

/** Creates the frame of a state. The help replaces the table. */
export function frameOf(state: WatchState, { size, isColoured, isLast = false }: FrameOptions): Frame {
  const surroundingLines = surroundingLinesOf(state, size, isLast);
  const table = state.isHelp && !isLast ? [] : tableRows(state, size, createStyler(isColoured));
  return { columns: size.columns, isColoured, surroundingLines, table };
}

/** Whether ink would produce the same layout for both frames. */
export function hasSameLayout(one: Frame, other: Frame): boolean {
  const { length } = one.surroundingLines;
  if (one.columns !== other.columns || length !== other.surroundingLines.length) return false;
  return one.surroundingLines.every(
    ({ text, tone }, index) =>
      text === other.surroundingLines[index]?.text && tone === other.surroundingLines[index]?.tone,
  );
}

/** The rows of a frame: the layout of ink with the table inserted below the first line. */
export function withTable(layout: string, { table }: Frame): readonly string[] {
  const [header = '', ...others] = layout.split('\n');
  return [header, ...table, ...others];
}

/** The rows of the table of jobs, including those of the open job. None is wider than the terminal. */
function tableRows(state: WatchState, size: FrameSize, styleText: StyleText): readonly string[] {
  const { rows, from, to } = planFrame(state, size);
  const shown = shownJobs(state);
  const selected = shown[state.selected];
  const opened = state.isOpen ? selected : undefined;
  const titles = opened?.files.map((file) => rowTitle(opened, file)) ?? [];
  const columns = fitColumns(jobColumns(shown, titles), size.columns);
  return shown.slice(from, to).flatMap((job) => {
    const ofRow = isFailed(job) && job !== opened ? failedColumns(columns) : columns;
    const row = rowText(ofRow, (name, width) => jobCell(job, job === selected, name, width), styleText);
    if (job !== opened) return [row];
    const options = { jobColumns: columns, columns: size.columns, rows: rows.details, styleText };
    return [row, ...detailRows(job, options)];
  });
}
