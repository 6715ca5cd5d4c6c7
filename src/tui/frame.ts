import { detailRows, rowTitle } from './file-rows.js';
import { fitColumns, rowText } from './fit-columns.js';
import { type FrameSize, planFrame } from './frame-plan.js';
import { jobCell, jobColumns } from './job-cells.js';
import { surroundingLinesOf } from './surrounding-lines.js';
import { createStyler, type StyledText, type StyleText } from './tones.js';
import type { WatchState } from './watch-types.js';

/**
 * One frame to be drawn: never wider than the terminal and always lower than it, since what has scrolled away cannot be drawn over. ink
 * lays out what stands around the table. The table it would take apart letter by letter in every frame, and keep the width of every
 * text it ever saw.
 */
export interface Frame {
  readonly columns: number;
  readonly isColoured: boolean;
  /** The line above the table, and those below it. */
  readonly surroundingLines: readonly StyledText[];
  readonly table: readonly string[];
}

/** How a state is to be drawn. */
export interface FrameOptions {
  readonly size: FrameSize;
  readonly isColoured: boolean;
  /** Whether it is to be left behind: without what can be done. */
  readonly isLast?: boolean;
}

/** The frame of a state. Where the keys are explained there is no table. */
export function frameOf(state: WatchState, { size, isColoured, isLast = false }: FrameOptions): Frame {
  const surroundingLines = surroundingLinesOf(state, size, isLast);
  const table = state.isHelp && !isLast ? [] : tableRows(state, size, createStyler(isColoured));
  return { columns: size.columns, isColoured, surroundingLines, table };
}

/** Whether ink would lay out both alike. */
export function hasSameLayout(one: Frame, other: Frame): boolean {
  const { length } = one.surroundingLines;
  if (one.columns !== other.columns || length !== other.surroundingLines.length) return false;
  return one.surroundingLines.every(
    ({ text, tone }, index) =>
      text === other.surroundingLines[index]?.text && tone === other.surroundingLines[index]?.tone,
  );
}

/** The rows of a frame: what ink has laid out, the table in its place below the first line. */
export function withTable(layout: string, { table }: Frame): readonly string[] {
  const [header = '', ...others] = layout.split('\n');
  return [header, ...table, ...others];
}

/** The rows of the table of jobs, those of the job that is opened among them: none is wider than the terminal. */
function tableRows(state: WatchState, size: FrameSize, styleText: StyleText): readonly string[] {
  const { rows, from, to } = planFrame(state, size);
  const selected = state.jobs[state.selected];
  const opened = state.isOpen ? selected : undefined;
  const titles = opened?.files.map((file) => rowTitle(opened, file)) ?? [];
  const columns = fitColumns(jobColumns(state.jobs, titles), size.columns);
  return state.jobs.slice(from, to).flatMap((job) => {
    const row = rowText(columns, (name, width) => jobCell(job, job === selected, name, width), styleText);
    if (job !== opened) return [row];
    const options = { jobColumns: columns, columns: size.columns, rows: rows.details, styleText };
    return [row, ...detailRows(job, options)];
  });
}
