import { type Column, columnGap, type FittedColumn, fitColumns, widthOf } from './fit-columns.js';
import { bar, clock, fpsText, percentText, sizeText, speedText } from './format.js';
import { branchWidth, type JobColumn } from './job-cells.js';
import { toneOf } from './log-entries.js';
import type { Tone, WatchedFile, WatchedJob } from './watch-types.js';

/** The columns of the table of a job's files. */
export type FileColumn = 'title' | 'state' | 'bar' | 'percent' | 'eta' | 'event' | 'speed' | 'fps' | 'size';

/**
 * The columns of the table of a job's files in `width` cells. They stand below those of the jobs: the title takes the place of whatever is
 * in front of the state, and what both have is as wide in both.
 */
export function fileColumns(
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
  if (title < leastTitle) return [{ name: 'title', width: width - branchWidth }];
  const begun = [{ name: 'title' as const, width: title }, ...shared];
  const room = width - branchWidth - widthOf(begun) - columnGap;
  return jobs.some(({ name }) => name === 'event') ? [...begun, ...fitColumns(rest, room)] : begun;
}

/** What comes behind the columns of the jobs, where there is room for it. */
const rest: readonly Column<FileColumn>[] = [
  { name: 'event', least: 11, most: 16, worth: 5 },
  { name: 'speed', least: 5, most: 5, worth: 4 },
  { name: 'fps', least: 8, most: 8, worth: 2 },
  { name: 'size', least: 8, most: 8, worth: 1 },
];
const leastTitle = 8;

/** What stands in one cell of a file's row. */
export function fileCell(
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

/** What stands in front of a file's row: what it is, and what a person would call it. */
export function rowTitle(job: WatchedJob, file: WatchedFile): string {
  const name = job.names.get(file.id);
  if (file.kind === 'input') return name === undefined ? 'input' : `input ${name}`;
  return name === undefined ? `output ${file.id}` : `output ${file.id} ${name}`;
}

function eventText({ event, eventPercent }: WatchedFile, width: number): string {
  const whole = [event ?? '', eventPercent === null ? '' : percentText(eventPercent)].join(' ').trim();
  return whole.length <= width ? whole : (event ?? '');
}
