import type { Column } from './fit-columns.js';
import { bar, clock, fpsText, percentText, sizeText, speedText } from './format.js';
import { toneOf } from './watch-news.js';
import type { Tone, WatchedFile, WatchedJob } from './watch-types.js';
import { fileTitle } from './watched-job.js';

/** The columns of the table of a job's files. */
export type FileColumn = 'title' | 'state' | 'bar' | 'percent' | 'eta' | 'event' | 'speed' | 'fps' | 'size';

/** The columns of the table of a job's files, the title as wide as the longest one, within reason. */
export function fileColumns(job: WatchedJob): readonly Column<FileColumn>[] {
  const titleWidth = Math.max(5, ...job.files.map((file) => titleOf(job, file).length));
  return [
    { name: 'title', least: Math.min(14, titleWidth), most: Math.min(40, titleWidth), worth: 10 },
    { name: 'state', least: 10, most: 10, worth: 8 },
    { name: 'bar', least: 8, most: 24, worth: 7 },
    { name: 'percent', least: 4, most: 4, worth: 9 },
    { name: 'eta', least: 11, most: 11, worth: 6 },
    { name: 'event', least: 16, most: 16, worth: 5 },
    { name: 'speed', least: 5, most: 5, worth: 4 },
    { name: 'fps', least: 8, most: 8, worth: 2 },
    { name: 'size', least: 8, most: 8, worth: 1 },
  ];
}

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
      return { text: titleOf(job, file), tone: 'plain' };
    case 'state':
      return { text: file.state, tone };
    case 'bar':
      return { text: bar(file.percent, width), tone };
    case 'percent':
      return { text: percentText(file.percent).padStart(width), tone: 'plain' };
    case 'eta':
      return { text: file.etaMs === null ? '' : `ETA ${clock(file.etaMs)}`, tone: 'plain' };
    case 'event':
      return { text: eventText(file), tone: 'plain' };
    case 'speed':
      return { text: file.speed === null ? '' : speedText(file.speed), tone: 'quiet' };
    case 'fps':
      return { text: file.fps === null ? '' : fpsText(file.fps), tone: 'quiet' };
    case 'size':
      return { text: file.sizeBytes === null ? '' : sizeText(file.sizeBytes), tone: 'quiet' };
  }
}

/** As in the log, but the input under its name as well: there is room for it here. */
function titleOf(job: WatchedJob, file: WatchedFile): string {
  const name = file.kind === 'input' ? job.names.get(file.id) : undefined;
  return name === undefined ? fileTitle(job, file) : `input (${name})`;
}

function eventText(file: WatchedFile): string {
  if (file.event === null) return '';
  return file.eventPercent === null ? file.event : `${file.event} ${percentText(file.eventPercent)}`;
}
