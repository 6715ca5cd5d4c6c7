import { isFinal } from '../shared/states.js';
import { displayWidth } from '../shared/text/display-width.js';
import { type ColumnSpec, type FittedColumn, widthOf } from './fit-columns.js';
import { bar, clock, percentText } from './format.js';
import { toneOf } from './tones.js';
import type { Tone, WatchedJob } from './watch-types.js';
import { isOver } from './watched-job.js';

/** The columns of the table of jobs. */
export type JobColumn = 'mark' | 'id' | 'name' | 'state' | 'bar' | 'percent' | 'eta' | 'event' | 'reason';

/** Width of the indent and the branch line before the title of a file. */
export const branchWidth = 4;
const maxNameWidth = 40;
/** Width for the event, speed, frame rate and size of a file. */
const eventWidth = 40;

/**
 * The columns of the table of jobs. The name column is as wide as the longest name, or the titles of the files of the
 * open job.
 */
export function jobColumns(
  jobs: readonly WatchedJob[],
  titles: readonly string[],
): readonly ColumnSpec<JobColumn>[] {
  const idWidth = Math.max(2, ...jobs.map((job) => String(job.id).length));
  const isLong = jobs.some(({ etaMs, files }) =>
    [etaMs, ...files.map((file) => file.etaMs)].some(isAtLeastAnHour),
  );
  const etaWidth = isLong ? 'ETA 1:00:00'.length : 'ETA 10:00'.length;
  const names = Math.max(0, ...jobs.map((job) => displayWidth(inputName(job))));
  const leadingWidth = widthOf([{ width: 1 }, { width: idWidth }, { width: 0 }]);
  const maxWidth = Math.min(
    maxNameWidth,
    Math.max(names, ...titles.map((title) => branchWidth + displayWidth(title) - leadingWidth)),
  );
  return [
    { name: 'mark', minWidth: 1, maxWidth: 1, priority: 10 },
    { name: 'id', minWidth: idWidth, maxWidth: idWidth, priority: 9 },
    ...(maxWidth > 0
      ? [{ name: 'name', minWidth: Math.min(10, maxWidth), maxWidth, priority: 6 } as const]
      : []),
    { name: 'state', minWidth: 10, maxWidth: 10, priority: 8 },
    { name: 'bar', minWidth: 8, maxWidth: 40, priority: 4 },
    { name: 'percent', minWidth: 4, maxWidth: 4, priority: 7 },
    { name: 'eta', minWidth: etaWidth, maxWidth: etaWidth, priority: 5 },
    // Wider if a job is open, because its files show more here.
    {
      name: 'event',
      minWidth: 11,
      maxWidth: titles.length > 0 ? eventWidth : 11,
      priority: 3,
      growthPriority: 4.5,
    },
  ];
}

function isAtLeastAnHour(etaMs: number | null): boolean {
  return etaMs !== null && etaMs >= 3_600_000;
}

/** The cell of a column in the row of a job. */
export function jobCell(
  job: WatchedJob,
  isSelected: boolean,
  name: JobColumn,
  width: number,
): { readonly text: string; readonly tone: Tone; readonly isBold?: boolean } {
  const tone = job.unavailable === null ? toneOf(job.displayState) : 'bad';
  switch (name) {
    case 'mark':
      return { text: isSelected ? '›' : ' ', tone: 'busy', isBold: true };
    case 'id':
      return { text: String(job.id), tone: 'plain', isBold: isSelected };
    case 'state':
      return { text: job.unavailable === null ? (job.displayState ?? '...') : 'lost', tone };
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
    case 'reason':
      return { text: reasonOf(job), tone: 'plain' };
  }
}

/** The columns of the row of a failed job: its reason takes the place of the progress. */
export function failedColumns(
  columns: readonly FittedColumn<JobColumn>[],
): readonly FittedColumn<JobColumn>[] {
  const after = columns.findIndex(({ name }) => name === 'state') + 1;
  const rest = columns.slice(after);
  return rest.length === 0 ? columns : [...columns.slice(0, after), { name: 'reason', width: widthOf(rest) }];
}

/** Why a job failed, without the error class. */
function reasonOf({ files }: WatchedJob): string {
  const failure = files.find((file) => file.failure !== null)?.failure ?? '';
  return failure.replace(/^\w+Error: /, '');
}

function currentEvent(job: WatchedJob): string {
  return job.files.find((file) => file.event !== null && !isFinal(file.state))?.event ?? '';
}

function inputName(job: WatchedJob): string {
  const input = job.files.find((file) => file.kind === 'input');
  return (input && job.names.get(input.id)) ?? '';
}
