import type { JobRecord } from '../../shared/records.js';
import { withoutPassword } from '../../shared/redact.js';
import { displayState } from '../../shared/states.js';
import { fileNameInUrl } from '../../shared/text/url-text.js';
import { colourState, createTextColours } from './paint.js';
import { type Column, type TableStyle, table } from './table.js';
import { humanAge, humanDuration, humanId, humanSize, unknownMark } from './units.js';

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
      minWidth: 24,
      text: inputText,
    },
    { title: 'OUTPUT NAMES', priority: 6, minWidth: 12, text: namesText },
  ];
  return table(columns, jobs, width, paint);
}

/** The URL of the input; for an uploaded file only the name, because the rest of the URL is internal. */
function inputText({ input_media_file: { url } }: JobRecord): string {
  if (url === null) return unknownMark;
  return url.startsWith('upload:') ? fileNameInUrl(url) : withoutPassword(url);
}

function stateText({ state, input_media_file: input, output_media_files: outputs }: JobRecord): string {
  return displayState({ state, input, outputs });
}

/** The labels of the outputs, else their file names, else their sizes, to distinguish jobs with the same input. */
function namesText({ output_media_files: outputs }: JobRecord): string {
  return outputs.map(nameOf).filter(Boolean).join(', ');
}

function nameOf({ label, url, width, height }: JobRecord['output_media_files'][number]): string {
  if (label !== null && label !== '') return label;
  const name = url === null ? '' : fileNameInUrl(url);
  // Generated names are not useful to people.
  if (name !== '' && !/^[0-9a-f]{32}\b/.test(name)) return name;
  return width === null || height === null ? '' : `${width}x${height}`;
}

/** The number of finished outputs and of all outputs: `2/3`. */
function outputsText(job: JobRecord): string {
  const finished = job.output_media_files.filter((output) => output.state === 'finished').length;
  return `${finished}/${job.output_media_files.length}`;
}

function lengthSeconds(job: JobRecord): number | null {
  const milliseconds = job.input_media_file.duration_in_ms;
  return milliseconds === null ? null : milliseconds / 1000;
}
