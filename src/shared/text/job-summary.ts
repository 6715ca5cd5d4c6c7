import type { JobRecord } from '../records.js';
import { redact } from '../redact.js';
import { displayState } from '../states.js';
import { sizeAndShare } from './units.js';

/** The state of a job as people see it. */
export function stateText({
  state,
  paused,
  input_media_file: input,
  output_media_files: outputs,
}: JobRecord): string {
  return displayState({ state, input, outputs, paused });
}

/**
 * What became of a job: the size of its outputs and their share of the size of the input, or why it failed. Empty until
 * it has ended.
 */
export function resultText(job: JobRecord): string {
  const { state, input_media_file: input, output_media_files: outputs } = job;
  if (state === 'failed') return [input, ...outputs].map(reasonOf).find((reason) => reason !== '') ?? '';
  if (state !== 'finished') return '';
  const finished = outputs.filter((output) => output.state === 'finished');
  if (finished.length === 0) return outputs.some((output) => output.state === 'skipped') ? 'skipped' : '';
  const bytes = finished.reduce<number | null>(
    (sum, { file_size_bytes: size }) => (sum === null || size === null ? null : sum + size),
    0,
  );
  return bytes === null ? '' : sizeAndShare(bytes, input.file_size_bytes);
}

/** The longest reason that is taken from a message. */
const maxReasonLength = 24;

/**
 * Why a file failed, in a few words: the beginning of the message if it is short, such as `truncated`, else the name of
 * the error class: `upload timeout`. An empty text if the file did not fail.
 */
function reasonOf({
  error_class: errorClass,
  error_message: message,
}: Pick<JobRecord['input_media_file'], 'error_class' | 'error_message'>): string {
  const [clause = ''] = redact(message ?? '')
    .replace(/^The (?:file|input) is /, '')
    .split(/[.:;,](?=\s|$)/);
  if (clause !== '' && clause.length <= maxReasonLength) return clause;
  if (errorClass === null) return message === null ? '' : redact(message);
  const words = errorClass
    .replace(/Error$/, '')
    .split(/(?<=[a-z])(?=[A-Z])/)
    .map((word) => word.toLowerCase());
  return words.length === 1 ? `${words[0]} failed` : words.join(' ').replace(/^cpu\b/, 'CPU');
}

/** The number of finished outputs and of all outputs: `2/3`. */
export function outputsText(job: JobRecord): string {
  const finished = job.output_media_files.filter((output) => output.state === 'finished').length;
  return `${finished}/${job.output_media_files.length}`;
}
