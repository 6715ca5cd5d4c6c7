import type { InputDetails, JobRecord, OutputDetails } from '../../api/records.js';
import { withoutPassword } from '../../api/redact.js';
import { safeText } from '../../api/safe-text.js';
import { type Fact, factLines, faultFacts, mediaFacts } from './media-text.js';
import { type Paint, paintState } from './paint.js';
import { humanId, humanTime } from './units.js';

/** A job with its input and its outputs, as `venc show` tells it. */
export function jobText(job: JobRecord, paint: Paint): string {
  const facts: readonly Fact[] = [
    ['submitted', humanTime(job.submitted_at)],
    ...(job.finished_at === null ? [] : [['ended', humanTime(job.finished_at)] as const]),
    ...(job.test ? [['test', 'yes: outputs are cut to 5 seconds'] as const] : []),
    ...(job.grouping === null ? [] : [['grouping', job.grouping] as const]),
    ...(job.pass_through === null ? [] : [['pass_through', job.pass_through] as const]),
  ];
  const files = [
    { title: 'input', file: job.input_media_file, label: null },
    ...job.output_media_files.map((output) => ({ title: 'output', file: output, label: output.label })),
  ];
  const lines = [
    `${paint.bold(`job ${humanId(job.id)}`)}  ${state(job.state, paint)}`,
    ...factLines(facts, 2),
    ...files.flatMap(({ title, file, label }) => [
      '',
      `${paint.bold(`${title} ${humanId(file.id)}`)}  ${state(file.state, paint)}${labelText(label)}`,
      ...factLines([...mediaFacts(file), ...faultFacts(file)], 2),
    ]),
    ...thumbnailLines(job, paint),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** An input, as `venc input` tells it. */
export function inputText(input: InputDetails, paint: Paint): string {
  return fileText('input', input, null, [['job', humanId(input.job_id)]], paint);
}

/** An output, as `venc output` tells it. */
export function outputText(output: OutputDetails, paint: Paint): string {
  return fileText('output', output, output.label, [], paint);
}

function fileText(
  title: string,
  file: InputDetails | OutputDetails,
  label: string | null,
  facts: readonly Fact[],
  paint: Paint,
): string {
  const lines = [
    `${paint.bold(`${title} ${humanId(file.id)}`)}  ${state(file.state, paint)}${labelText(label)}`,
    ...factLines([...facts, ...mediaFacts(file), ...faultFacts(file)], 2),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function thumbnailLines(job: JobRecord, paint: Paint): readonly string[] {
  if (job.thumbnails.length === 0) return [];
  const urls = job.thumbnails.map(({ url }) => `  ${safeText(withoutPassword(url))}`);
  return ['', paint.bold('thumbnails'), ...urls];
}

function state(text: string, paint: Paint): string {
  return paintState(paint, text, safeText(text));
}

function labelText(label: string | null): string {
  return label === null ? '' : `  "${safeText(label)}"`;
}
