import type { JobProgressRecord, JobRecord, ProgressRecord } from '../../api/records.js';
import { safeText } from '../../api/safe-text.js';
import { type Paint, paintState } from './paint.js';
import { humanDuration, humanPercent } from './units.js';

/** One progress record in one line: `processing 42%, transcoding 40%, 118 fps, 4.7x, 12s left`. */
export function progressText(record: ProgressRecord, paint: Paint): string {
  const event = record.current_event;
  const eventPercent = record.current_event_progress;
  const isRunning = record.state === 'processing';
  const parts = [
    `${paintState(paint, record.state, safeText(record.state))} ${humanPercent(record.progress)}`,
    ...(event === undefined || !isRunning
      ? []
      : [`${safeText(event)}${eventPercent === undefined ? '' : ` ${humanPercent(eventPercent)}`}`]),
    ...paceParts(record),
  ];
  return parts.join(', ');
}

/** Progress of a whole job: a line for it, and one for each of its files. */
export function jobProgressText(id: number, job: JobProgressRecord, paint: Paint): string {
  const lines = [
    `job ${id}: ${paintState(paint, job.state, safeText(job.state))} ${humanPercent(job.progress)}`,
    `  input ${job.input.id}: ${progressText(job.input, paint)}`,
    ...job.outputs.map((output) => `  output ${output.id}: ${progressText(output, paint)}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** What is going on in a job, in a few words behind a bar: `transcoding, 118 fps, 4.7x, 12s left`. */
export function activityText(job: JobProgressRecord): string {
  const running = [job.input, ...job.outputs].find(({ state }) => state === 'processing');
  if (running === undefined) return safeText(job.state);
  return [safeText(running.current_event ?? job.state), ...paceParts(running)].join(', ');
}

/** Why a job that is over did not finish: a line for the job, and one for each file that failed. */
export function failureText(job: JobRecord): string {
  const files = [
    { name: `input ${job.input_media_file.id}`, file: job.input_media_file },
    ...job.output_media_files.map((file) => ({ name: `output ${file.id}`, file })),
  ];
  const faults = files.flatMap(({ name, file }) =>
    file.error_message === null && file.error_class === null
      ? []
      : [`  ${name}: ${safeText([file.error_class, file.error_message].filter(Boolean).join(': '))}`],
  );
  return [`job ${job.id} ${safeText(job.state)}`, ...faults].map((line) => `venc: ${line}\n`).join('');
}

function paceParts(record: ProgressRecord): readonly string[] {
  if (record.state !== 'processing') return [];
  return [
    ...(record.fps === undefined || record.fps < 0.5 ? [] : [`${Math.round(record.fps)} fps`]),
    ...(record.speed === undefined ? [] : [`${Math.round(record.speed * 10) / 10}x`]),
    ...(record.eta_in_ms === undefined ? [] : [`${humanDuration(record.eta_in_ms / 1000)} left`]),
  ];
}
