import { detailRows } from './detail-rows.js';
import { rowTitle } from './file-cells.js';
import { fitColumns } from './fit-columns.js';
import { type FrameSize, planFrame } from './frame-plan.js';
import { jobCell, jobColumns } from './job-cells.js';
import { rowText } from './row-text.js';
import type { StyleText } from './tones.js';
import type { WatchState } from './watch-types.js';

/** The rows of the table of jobs, those of the job that is opened among them: none is wider than the terminal. */
export function tableRows(state: WatchState, size: FrameSize, styleText: StyleText): readonly string[] {
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
