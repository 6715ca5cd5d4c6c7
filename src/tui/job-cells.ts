import { isFinal } from '../shared/states.js';
import { displayWidth } from '../shared/text/display-width.js';
import { type Column, widthOf } from './fit-columns.js';
import { bar, clock, percentText } from './format.js';
import { toneOf } from './log-entries.js';
import type { Tone, WatchedJob } from './watch-types.js';
import { isOver } from './watched-job.js';

/** The columns of the table of jobs. */
export type JobColumn = 'mark' | 'id' | 'name' | 'state' | 'bar' | 'percent' | 'eta' | 'event';

/** Cells in front of the title of a file, which stands below its job: an indent and the line that leads to it. */
export const branchWidth = 4;
const mostName = 40;
/** Cells that all take that a file tells of itself while it is made. */
const pulseWidth = 40;

/** The columns of the table of jobs, names as wide as the longest one, or as the titles of the files of the job that is opened. */
export function jobColumns(
  jobs: readonly WatchedJob[],
  titles: readonly string[],
): readonly Column<JobColumn>[] {
  const idWidth = Math.max(2, ...jobs.map((job) => String(job.id).length));
  const isLong = jobs.some(({ etaMs, files }) => [etaMs, ...files.map((file) => file.etaMs)].some(isOfHours));
  const etaWidth = isLong ? 'ETA 1:00:00'.length : 'ETA 10:00'.length;
  const names = Math.max(0, ...jobs.map((job) => displayWidth(inputName(job))));
  const inFront = widthOf([{ width: 1 }, { width: idWidth }, { width: 0 }]);
  const most = Math.min(
    mostName,
    Math.max(names, ...titles.map((title) => branchWidth + displayWidth(title) - inFront)),
  );
  return [
    { name: 'mark', least: 1, most: 1, worth: 10 },
    { name: 'id', least: idWidth, most: idWidth, worth: 9 },
    ...(most > 0 ? [{ name: 'name', least: Math.min(10, most), most, worth: 6 } as const] : []),
    { name: 'state', least: 10, most: 10, worth: 8 },
    { name: 'bar', least: 8, most: 40, worth: 4 },
    { name: 'percent', least: 4, most: 4, worth: 7 },
    { name: 'eta', least: etaWidth, most: etaWidth, worth: 5 },
    // The files of a job have more to tell there.
    { name: 'event', least: 11, most: titles.length > 0 ? pulseWidth : 11, worth: 3, growth: 4.5 },
  ];
}

function isOfHours(etaMs: number | null): boolean {
  return etaMs !== null && etaMs >= 3_600_000;
}

/** What stands in one cell of a job's row. */
export function jobCell(
  job: WatchedJob,
  isSelected: boolean,
  name: JobColumn,
  width: number,
): { readonly text: string; readonly tone: Tone; readonly isBold?: boolean } {
  const tone = job.loss === null ? toneOf(job.shownState) : 'bad';
  switch (name) {
    case 'mark':
      return { text: isSelected ? '›' : ' ', tone: 'busy', isBold: true };
    case 'id':
      return { text: String(job.id), tone: 'plain', isBold: isSelected };
    case 'state':
      return { text: job.loss === null ? (job.shownState ?? '...') : 'lost', tone };
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
