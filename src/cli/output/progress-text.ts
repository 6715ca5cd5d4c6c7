import { toHintForm } from '../../shared/errors.js';
import type { JobProgressRecord, JobRecord, MediaFileRecord, ProgressRecord } from '../../shared/records.js';
import { displayProgress, displayState, etaOfFile, etaOfJob } from '../../shared/states.js';
import { adviceFor } from '../../shared/text/advice.js';
import { safeText } from '../../shared/text/safe-text.js';
import { humanDuration, humanId, humanPercent, sizesText } from '../../shared/text/units.js';
import { colourState, type TextColours } from './paint.js';

/** One progress record in one line: `processing 42%, transcoding 40%, 118 fps, 4.7x, 12s left`. */
export function progressText(record: ProgressRecord, colours: TextColours): string {
  const event = record.current_event;
  const eventPercent = record.current_event_progress;
  const parts = [
    `${colourState(colours, record.state, safeText(record.state))} ${humanPercent(record.progress)}`,
    ...(event === undefined || !isRunning(record)
      ? []
      : [`${safeText(event)}${eventPercent === undefined ? '' : ` ${humanPercent(eventPercent)}`}`]),
    ...speedParts(record),
  ];
  return `${parts.join(', ')}${etaText(etaOfFile(record))}`;
}

/** Whether something is done for a file. The ladder of an output is chosen before its encode begins. */
function isRunning({ state, current_event: event }: ProgressRecord): boolean {
  return state === 'processing' || (state === 'queued' && event === 'ladder');
}

/** The progress of a job: a line for the job and one for each of its files. */
export function jobProgressText(id: number, job: JobProgressRecord, colours: TextColours): string {
  const state = displayState(job);
  const lines = [
    `job ${id}: ${colourState(colours, state, safeText(state))} ${humanPercent(displayProgress(job))}${etaText(etaOfJob(job.outputs))}`,
    `  input ${humanId(job.input.id)}: ${progressText(job.input, colours)}`,
    ...job.outputs.map((output) => `  output ${humanId(output.id)}: ${progressText(output, colours)}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** The current activity of a job for a progress bar: `transcoding, 118 fps, 4.7x, 12s left`. */
export function activityText(job: JobProgressRecord): string {
  const running = [job.input, ...job.outputs].find(isRunning);
  if (running === undefined) return safeText(displayState(job));
  const words = [safeText(running.current_event ?? job.state), ...speedParts(running)].join(', ');
  // The remaining time is that of the whole job: other outputs may take longer than the one being encoded.
  return `${words}${etaText(etaOfJob(job.outputs))}`;
}

/**
 * Why a job did not finish: a line for the job, one for each failed file, and advice. `name` is that of its input, if
 * there are several.
 */
export function failureText(job: JobRecord, name: string | null = null): string {
  return reportedText(
    [
      `${name === null ? '' : `${safeText(name)}: `}job ${job.id} ${safeText(job.state)}`,
      ...failureLines(job).map(indented),
    ],
    adviceLines(job),
  );
}

/** What {@link encodeFailureText} needs in addition to the job. */
interface LocalEncode {
  /** The input, if there are several; null for a single one. */
  readonly input: string | null;
  /** Path or URL of each output, in order. */
  readonly destinations: readonly string[];
  /** Names a setting at the beginning of the message of an output as it was typed. */
  readonly asTyped: (message: string, index: number) => string;
}

/** Like {@link failureText} for `venc run`, where there is no job to resubmit, no daemon, and no id. */
export function encodeFailureText(job: JobRecord, { input, destinations, asTyped }: LocalEncode): string {
  const typed = {
    ...job,
    output_media_files: job.output_media_files.map((file, index) => ({
      ...file,
      error_message: file.error_message === null ? null : asTyped(file.error_message, index),
    })),
  };
  const names = { input: 'input', outputs: destinations.map(safeText) };
  const failures = failureLines(typed, names).map((line) =>
    line.replace(/ the disk of the daemon\b/, ' the disk'),
  );
  const failed = job.output_media_files.filter(({ error_class: errorClass }) => errorClass !== null);
  const isDeliveryOnly = failed.length > 0 && failed.every(isFailedDelivery);
  return reportedText(
    [
      `${input === null ? '' : `${safeText(input)}: `}the ${isDeliveryOnly ? 'delivery' : 'encode'} ${safeText(job.state)}`,
      ...failures.map(indented),
    ],
    adviceLines(job).map(toLocalAdvice),
  );
}

/** Whether an output was encoded, but could not be written to its destination. */
function isFailedDelivery({ error_class: errorClass, error_message: message }: MediaFileRecord): boolean {
  if (errorClass === null) return false;
  return errorClass.startsWith('Upload') || message?.startsWith('There is no space left in /') === true;
}

/** Advice about a job of the daemon as advice about a run of `venc run`. */
function toLocalAdvice(advice: string): string {
  return advice
    .replace(/\b(?:resubmit(?: the job)?|submit (?:it|the job) again)\b/gi, 'run it again')
    .replace(/ on the machine of the daemon\b/, ' in the temporary folder, or name another one with TMPDIR')
    .replace('data folder', 'temporary folder')
    .replace(/name another folder\b/, 'name another folder with -o');
}

function reportedText(lines: readonly string[], hints: readonly string[]): string {
  return [...lines, ...hints.map((hint) => `hint: ${toHintForm(hint)}`)]
    .map((line) => `venc: ${line}\n`)
    .join('');
}

const indented = (line: string): string => `  ${line}`;

/**
 * A line for each failed file of a job: `input 3: NoMediaError: the file has no video and no audio`. `names` are used
 * instead of the ids.
 */
export function failureLines(
  job: JobRecord,
  names?: { readonly input: string; readonly outputs: readonly string[] },
): readonly string[] {
  const outputs = job.output_media_files.map((file, index) => ({
    name: names?.outputs[index] ?? `output ${file.id}`,
    file,
  }));
  const input = {
    name: names?.input ?? `input ${job.input_media_file.id}`,
    file: job.input_media_file,
  };
  return [input, ...outputs].flatMap(({ name, file: { error_class: errorClass, error_message: message } }) =>
    errorClass === null && message === null
      ? []
      : [`${name}: ${safeText([errorClass, message].filter(Boolean).join(': '))}`],
  );
}

/** Why a job did not finish, in one sentence: the error of its input, else of its first output with one. */
export function failureOf(job: JobRecord): Readonly<Record<'error_class' | 'error_message', string | null>> {
  const files = [job.input_media_file, ...job.output_media_files];
  const { error_class = null, error_message = null } = files.find((file) => file.error_class !== null) ?? {};
  return { error_class, error_message };
}

/** The advice for the errors of a job, without duplicates. */
function adviceLines(job: JobRecord): readonly string[] {
  const found = [job.input_media_file, ...job.output_media_files].flatMap(
    ({ error_class: errorClass, error_message: message }) => adviceFor(errorClass, message) ?? [],
  );
  return [...new Set(found)];
}

function speedParts(record: ProgressRecord): readonly string[] {
  if (record.state !== 'processing') return [];
  return [
    ...(record.fps === undefined || record.fps < 0.5 ? [] : [`${Math.round(record.fps)} fps`]),
    ...(record.speed === undefined ? [] : [`${Math.round(record.speed * 10) / 10}x`]),
  ];
}

function etaText(etaMs: number | null): string {
  return etaMs === null ? '' : `, ${humanDuration(etaMs / 1000)} left`;
}

/** An encode that has ended, and its measurements. */
export interface FinishedEncode {
  readonly job: JobRecord;
  /** Path or URL of each output, in order. */
  readonly destinations: readonly string[];
  /** Start time in milliseconds, on the clock of the times of the job. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

/** A line for each finished output: `film.mp4: 4.1 MB to 1.2 MB (29%), took 5.1s (5.9x)`. */
export function encodedText({ job, destinations, startedAtMs, endedAtMs }: FinishedEncode): string {
  const inputBytes = job.input_media_file.file_size_bytes;
  return job.output_media_files
    .flatMap((output, index) => {
      if (output.state !== 'finished') return [];
      const until = Date.parse(output.finished_at ?? '');
      const seconds = Math.max(0, (Number.isNaN(until) ? endedAtMs : until) - startedAtMs) / 1000;
      const speed = output.duration_in_ms === null ? null : output.duration_in_ms / 1000 / seconds;
      const speedLabel = `${sizesText(inputBytes, output.file_size_bytes)}, took ${humanDuration(seconds)}${speedText(speed)}`;
      return [`venc: ${safeText(destinations[index] ?? '')}: ${speedLabel}\n`];
    })
    .join('');
}

function speedText(speed: number | null): string {
  if (speed === null || !Number.isFinite(speed)) return '';
  return ` (${speed < 9.95 ? speed.toFixed(1) : Math.round(speed)}x)`;
}
