import { cutText } from '../shared/text/display-width.js';
import { fileCell, fileColumns } from './file-cells.js';
import { type FittedColumn, rowText } from './fit-columns.js';
import type { JobColumn } from './job-cells.js';
import type { StyleText } from './tones.js';
import type { Tone, WatchedJob } from './watch-types.js';

/** In front of the lines that lead to the files: below the ids of jobs. */
const indent = '  ';

/** How many rows the details of a job would like to have. */
export function detailCount(job: WatchedJob): number {
  if (job.unavailable !== null || job.files.length === 0) return 1;
  return job.files.length + job.files.filter((file) => file.failure !== null).length;
}

/** The files of a job, one a row, a failed one with its reason below; in `rows` rows at most. */
export function detailRows(
  job: WatchedJob,
  options: {
    /** The columns of the table of jobs, which those of the files stand below. */
    readonly jobColumns: readonly FittedColumn<JobColumn>[];
    readonly columns: number;
    readonly rows: number;
    readonly styleText: StyleText;
  },
): readonly string[] {
  const { columns, rows, styleText } = options;
  const messageRow = (text: string, tone: Tone) => styleText({ tone }, cutText(indent + text, columns));
  if (rows < 1) return [];
  if (job.unavailable !== null) return [messageRow(job.unavailable.message, 'bad')];
  if (job.files.length === 0) return [messageRow('nothing is known yet', 'quiet')];
  const widths = fileColumns(options.jobColumns, columns);
  const last = job.files.at(-1);
  const lines = job.files.flatMap((file) => {
    const branch = styleText({ tone: 'quiet' }, cutText(`${indent}${file === last ? '└' : '├'} `, columns));
    const row = branch + rowText(widths, (name, width) => fileCell(job, file, name, width), styleText);
    return file.failure === null
      ? [row]
      : [row, messageRow(`${file === last ? ' ' : '│'}   ${file.failure}`, 'bad')];
  });
  if (lines.length <= rows) return lines;
  const shown = lines.slice(0, rows - 1);
  return [...shown, messageRow(`... ${lines.length - shown.length} lines more`, 'quiet')];
}
