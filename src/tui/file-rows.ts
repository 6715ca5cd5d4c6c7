import { cutText } from '../shared/text/display-width.js';
import {
  type ColumnSpec,
  columnGap,
  type FittedColumn,
  fitColumns,
  rowText,
  widthOf,
} from './fit-columns.js';
import { bar, clock, fpsText, percentText, sizeText, speedText } from './format.js';
import { branchWidth, type JobColumn } from './job-cells.js';
import { type StyleText, toneOf } from './tones.js';
import type { Tone, WatchedFile, WatchedJob } from './watch-types.js';

/** The columns of the files of a job. */
type FileColumn = 'title' | 'state' | 'bar' | 'percent' | 'eta' | 'event' | 'speed' | 'fps' | 'size';

/**
 * The columns of the files of a job in `width` cells, aligned with those of the jobs: the title uses the space before
 * the state, and shared columns have the same width.
 */
function fileColumns(
  jobs: readonly FittedColumn<JobColumn>[],
  width: number,
): readonly FittedColumn<FileColumn>[] {
  const front = jobs.findIndex(({ name }) => name === 'state');
  const title = widthOf(front === -1 ? jobs : jobs.slice(0, front)) - branchWidth;
  const shared = (front === -1 ? [] : jobs.slice(front)).flatMap(({ name, width: cells }) =>
    name === 'state' || name === 'bar' || name === 'percent' || name === 'eta'
      ? [{ name, width: cells }]
      : [],
  );
  if (title < minTitleWidth) return [{ name: 'title', width: width - branchWidth }];
  const leadingColumns = [{ name: 'title' as const, width: title }, ...shared];
  const available = width - branchWidth - widthOf(leadingColumns) - columnGap;
  return jobs.some(({ name }) => name === 'event')
    ? [...leadingColumns, ...fitColumns(trailingColumns, available)]
    : leadingColumns;
}

/** Additional columns after those of the jobs, if there is space. */
const trailingColumns: readonly ColumnSpec<FileColumn>[] = [
  { name: 'event', minWidth: 11, maxWidth: 16, priority: 5 },
  { name: 'speed', minWidth: 5, maxWidth: 5, priority: 4 },
  { name: 'fps', minWidth: 8, maxWidth: 8, priority: 2 },
  { name: 'size', minWidth: 8, maxWidth: 8, priority: 1 },
];
const minTitleWidth = 8;

/** The cell of a column in the row of a file. */
function fileCell(
  job: WatchedJob,
  file: WatchedFile,
  name: FileColumn,
  width: number,
): { readonly text: string; readonly tone: Tone } {
  const tone = toneOf(file.state);
  switch (name) {
    case 'title':
      return { text: rowTitle(job, file), tone: 'plain' };
    case 'state':
      return { text: file.state, tone };
    case 'bar':
      return { text: bar(file.percent, width), tone };
    case 'percent':
      return { text: percentText(file.percent).padStart(width), tone: 'plain' };
    case 'eta':
      return { text: file.etaMs === null ? '' : `ETA ${clock(file.etaMs)}`, tone: 'plain' };
    case 'event':
      return { text: eventText(file, width), tone: 'plain' };
    case 'speed':
      return { text: file.speed === null ? '' : speedText(file.speed), tone: 'quiet' };
    case 'fps':
      return { text: file.fps === null ? '' : fpsText(file.fps), tone: 'quiet' };
    case 'size':
      return { text: file.sizeBytes === null ? '' : sizeText(file.sizeBytes), tone: 'quiet' };
  }
}

/** The title of the row of a file: its kind and its name. */
export function rowTitle(job: WatchedJob, file: WatchedFile): string {
  const name = job.names.get(file.id);
  if (file.kind === 'input') return name === undefined ? 'input' : `input ${name}`;
  return name === undefined ? `output ${file.id}` : `output ${file.id} ${name}`;
}

function eventText({ event, eventPercent }: WatchedFile, width: number): string {
  const text = [event ?? '', eventPercent === null ? '' : percentText(eventPercent)].join(' ').trim();
  return text.length <= width ? text : (event ?? '');
}

/** The indent of the branch lines, which aligns them with the ids of the jobs. */
const indent = '  ';

/** The number of rows for the complete details of a job. */
export function detailCount(job: WatchedJob): number {
  if (job.unavailable !== null || job.files.length === 0) return 1;
  return job.files.length + job.files.filter((file) => file.failure !== null).length;
}

/** The rows of the files of a job, with the error after a failed one; at most `rows` rows. */
export function detailRows(
  job: WatchedJob,
  options: {
    /** The columns of the table of jobs, with which those of the files are aligned. */
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
  if (job.files.length === 0) return [messageRow('no data yet', 'quiet')];
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
  return [...shown, messageRow(`... ${lines.length - shown.length} more lines`, 'quiet')];
}
