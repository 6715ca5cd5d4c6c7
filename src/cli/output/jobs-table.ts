import { inputFileName, inputLocation, outputLabels } from '../../shared/file-labels.js';
import type { JobRecord } from '../../shared/records.js';
import { outputsText, resultText, stateText } from '../../shared/text/job-summary.js';
import { humanAge, humanDuration, humanId, humanSize, unknownMark } from '../../shared/text/units.js';
import { isUrl } from '../../shared/text/url-text.js';
import { colourState, createTextColours } from './paint.js';
import { type Column, type TableStyle, table } from './table.js';

/** Jobs as a table, one line each. */
export function jobsTable(
  jobs: readonly JobRecord[],
  {
    width,
    hasColour,
    now,
    percents,
  }: TableStyle & {
    readonly now: Date;
    /** Progress in percent of running jobs, by id, if known. */
    readonly percents: ReadonlyMap<number, number>;
  },
): string {
  const paint = createTextColours(hasColour);
  const columns: readonly Column<JobRecord>[] = [
    { title: 'ID', priority: 9, isRightAligned: true, text: (job) => humanId(job.id) },
    {
      title: 'STATE',
      priority: 8,
      text: stateText,
      paint: (job, text) => colourState(paint, stateText(job), text),
    },
    {
      title: 'DONE',
      priority: 5.5,
      isRightAligned: true,
      text: (job) => {
        const percent = job.state === 'finished' ? 100 : percents.get(job.id);
        return percent === undefined ? '' : `${Math.floor(percent)}%`;
      },
    },
    ...(jobs.some(({ account }) => account !== undefined)
      ? [{ title: 'ACCOUNT', priority: 7.5, text: ({ account }: JobRecord) => account ?? '' }]
      : []),
    { title: 'AGE', priority: 5, isRightAligned: true, text: (job) => humanAge(job.created_at, now) },
    { title: 'OUTPUTS', priority: 4, isRightAligned: true, text: outputsText },
    {
      title: 'INPUT LENGTH',
      priority: 3,
      isRightAligned: true,
      text: (job) => humanDuration(lengthSeconds(job)),
    },
    {
      title: 'INPUT SIZE',
      priority: 2,
      isRightAligned: true,
      text: (job) => humanSize(job.input_media_file.file_size_bytes),
    },
    { title: 'TEST', priority: 1, text: (job) => (job.test ? 'yes' : '') },
    {
      title: 'INPUT',
      priority: 7,
      ...{ minWidth: 24, narrowWidth: 10 },
      text: (job) => inputText(job, width),
    },
    { title: 'RESULT', priority: 6, minWidth: 16, narrowWidth: 9, text: resultText },
    { title: 'OUTPUT NAMES', priority: 4.5, minWidth: 12, text: namesText },
  ];
  return table(columns, jobs, width, paint);
}

/** Terminals of this width show the path of a local input instead of its file name. */
const minWidthForPaths = 120;

/** The URL of the input. That of a local file is its path on wide terminals and in pipes, else its file name. */
function inputText(job: JobRecord, width: number): string {
  const location = inputLocation(job);
  if (location === null) return unknownMark;
  return isUrl(location) || width >= minWidthForPaths ? location : (inputFileName(job) ?? location);
}

function namesText(job: JobRecord): string {
  return [...outputLabels(job).values()].join(', ');
}

function lengthSeconds(job: JobRecord): number | null {
  const milliseconds = job.input_media_file.duration_in_ms;
  return milliseconds === null ? null : milliseconds / 1000;
}
