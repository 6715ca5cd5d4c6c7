import { isFinal } from '../api/states.js';
import type { Column } from './fit-columns.js';
import { bar, clock, percentText } from './format.js';
import { toneOf } from './watch-news.js';
import type { Tone, WatchedJob } from './watch-types.js';
import { isOver } from './watched-job.js';

/** The columns of the table of jobs. */
export type JobColumn = 'mark' | 'id' | 'state' | 'bar' | 'percent' | 'eta' | 'event' | 'name';

/** The columns of the table of jobs, the id as wide as the longest one. */
export function jobColumns(jobs: readonly WatchedJob[]): readonly Column<JobColumn>[] {
  const idWidth = Math.max(2, ...jobs.map((job) => String(job.id).length));
  return [
    { name: 'mark', least: 1, most: 1, worth: 10 },
    { name: 'id', least: idWidth, most: idWidth, worth: 9 },
    { name: 'state', least: 10, most: 10, worth: 8 },
    { name: 'bar', least: 10, most: 40, worth: 4 },
    { name: 'percent', least: 4, most: 4, worth: 7 },
    { name: 'eta', least: 11, most: 11, worth: 6 },
    { name: 'event', least: 11, most: 11, worth: 3 },
    { name: 'name', least: 12, most: 48, worth: 2 },
  ];
}

/** What stands in one cell of a job's row. */
export function jobCell(
  job: WatchedJob,
  isSelected: boolean,
  name: JobColumn,
  width: number,
): { readonly text: string; readonly tone: Tone; readonly isBold?: boolean } {
  const tone = job.loss === null ? toneOf(job.state) : 'bad';
  switch (name) {
    case 'mark':
      return { text: isSelected ? '›' : ' ', tone: 'busy', isBold: true };
    case 'id':
      return { text: String(job.id), tone: 'plain', isBold: isSelected };
    case 'state':
      return { text: job.loss === null ? (job.state ?? '...') : 'lost', tone };
    case 'bar':
      return { text: bar(job.percent, width), tone };
    case 'percent':
      return { text: percentText(job.percent).padStart(width), tone: 'plain' };
    case 'eta':
      return { text: job.etaMs === null || isOver(job) ? '' : `ETA ${clock(job.etaMs)}`, tone: 'plain' };
    case 'event':
      return { text: currentEvent(job), tone: 'quiet' };
    case 'name':
      return { text: inputName(job), tone: 'plain' };
  }
}

function currentEvent(job: WatchedJob): string {
  return job.files.find((file) => file.event !== null && !isFinal(file.state))?.event ?? '';
}

function inputName(job: WatchedJob): string {
  const input = job.files.find((file) => file.kind === 'input');
  return (input && job.names.get(input.id)) ?? '';
}
