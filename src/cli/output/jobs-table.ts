import type { JobRecord } from '../../shared/records.js';
import { withoutPassword } from '../../shared/redact.js';
import { shownState } from '../../shared/shown-state.js';
import { fileNameInUrl } from '../../shared/text/url-text.js';
import { createPaint, paintState } from './paint.js';
import { type Column, type Look, table } from './table.js';
import { humanAge, humanDuration, humanId, humanSize, unknownMark } from './units.js';

/** Jobs as a table, one line each. */
export function jobsTable(
  jobs: readonly JobRecord[],
  {
    width,
    hasColour,
    now,
    percents,
  }: Look & {
    readonly now: Date;
    /** Percent of the jobs that run, by id, as far as it is known. */
    readonly percents: ReadonlyMap<number, number>;
  },
): string {
  const paint = createPaint(hasColour);
  const columns: readonly Column<JobRecord>[] = [
    { title: 'ID', worth: 9, isRight: true, text: (job) => humanId(job.id) },
    {
      title: 'STATE',
      worth: 8,
      text: stateText,
      paint: (job, text) => paintState(paint, stateText(job), text),
    },
    {
      title: 'DONE',
      worth: 5.5,
      isRight: true,
      text: (job) => {
        const percent = job.state === 'finished' ? 100 : percents.get(job.id);
        return percent === undefined ? '' : `${Math.floor(percent)}%`;
      },
    },
    { title: 'AGE', worth: 5, isRight: true, text: (job) => humanAge(job.created_at, now) },
    { title: 'OUTPUTS', worth: 4, isRight: true, text: outputsText },
    { title: 'INPUT LENGTH', worth: 3, isRight: true, text: (job) => humanDuration(lengthSeconds(job)) },
    {
      title: 'INPUT SIZE',
      worth: 2,
      isRight: true,
      text: (job) => humanSize(job.input_media_file.file_size_bytes),
    },
    { title: 'TEST', worth: 1, text: (job) => (job.test ? 'yes' : '') },
    {
      title: 'INPUT',
      worth: 7,
      leastWidth: 24,
      text: inputText,
    },
    { title: 'OUTPUT NAMES', worth: 6, leastWidth: 12, text: namesText },
  ];
  return table(columns, jobs, width, paint);
}

/** The address of the input; of an uploaded file its name alone, as the rest of its address says nothing to people. */
function inputText({ input_media_file: { url } }: JobRecord): string {
  if (url === null) return unknownMark;
  return url.startsWith('upload:') ? fileNameInUrl(url) : withoutPassword(url);
}

function stateText({ state, input_media_file: input, output_media_files: outputs }: JobRecord): string {
  return shownState({ state, input, outputs });
}

/** What tells jobs of one input apart: the labels of their outputs, else their file names, else their sizes. */
function namesText({ output_media_files: outputs }: JobRecord): string {
  return outputs.map(nameOf).filter(Boolean).join(', ');
}

function nameOf({ label, url, width, height }: JobRecord['output_media_files'][number]): string {
  if (label !== null && label !== '') return label;
  const name = url === null ? '' : fileNameInUrl(url);
  // Names that a service makes up say nothing to people.
  if (name !== '' && !/^[0-9a-f]{32}\b/.test(name)) return name;
  return width === null || height === null ? '' : `${width}x${height}`;
}

/** How many outputs are finished, of how many: `2/3`. */
function outputsText(job: JobRecord): string {
  const finished = job.output_media_files.filter((output) => output.state === 'finished').length;
  return `${finished}/${job.output_media_files.length}`;
}

function lengthSeconds(job: JobRecord): number | null {
  const milliseconds = job.input_media_file.duration_in_ms;
  return milliseconds === null ? null : milliseconds / 1000;
}
