import { displayState, etaOfFile, etaOfJob } from '../../shared/display-state.js';
import { errorClasses, isErrorClass } from '../../shared/error-classes.js';
import type { JobProgressRecord, JobRecord, ProgressRecord } from '../../shared/records.js';
import { isFinal } from '../../shared/states.js';
import { safeText } from '../../shared/text/safe-text.js';
import { colourState, type TextColours } from './paint.js';
import { humanDuration, humanId, humanPercent } from './units.js';

/** One progress record in one line: `processing 42%, transcoding 40%, 118 fps, 4.7x, 12s left`. */
export function progressText(record: ProgressRecord, colours: TextColours): string {
  const event = record.current_event;
  const eventPercent = record.current_event_progress;
  const isRunning = record.state === 'processing';
  const parts = [
    `${colourState(colours, record.state, safeText(record.state))} ${humanPercent(record.progress)}`,
    ...(event === undefined || !isRunning
      ? []
      : [`${safeText(event)}${eventPercent === undefined ? '' : ` ${humanPercent(eventPercent)}`}`]),
    ...speedParts(record),
  ];
  return `${parts.join(', ')}${etaText(etaOfFile(record))}`;
}

/** The progress of a job: a line for the job and one for each of its files. */
export function jobProgressText(id: number, job: JobProgressRecord, colours: TextColours): string {
  const state = displayState(job);
  const lines = [
    `job ${id}: ${colourState(colours, state, safeText(state))} ${humanPercent(job.progress)}${etaText(etaOfJob(job.outputs))}`,
    `  input ${humanId(job.input.id)}: ${progressText(job.input, colours)}`,
    ...job.outputs.map((output) => `  output ${humanId(output.id)}: ${progressText(output, colours)}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

/** The current activity of a job for a progress bar: `transcoding, 118 fps, 4.7x, 12s left`. */
export function activityText(job: JobProgressRecord): string {
  const running = [job.input, ...job.outputs].find(({ state }) => state === 'processing');
  if (running === undefined) return safeText(displayState(job));
  const words = [safeText(running.current_event ?? job.state), ...speedParts(running)].join(', ');
  // The remaining time is that of the whole job: other outputs may take longer than the one being encoded.
  return `${words}${etaText(etaOfJob(job.outputs))}`;
}

/** Why a job did not finish: a line for the job, one for each failed file, and advice. */
export function failureText(job: JobRecord): string {
  return reportedText(
    [`job ${job.id} ${safeText(job.state)}`, ...failureLines(job).map(indented)],
    adviceLines(job),
  );
}

/** Like {@link failureText} for `venc run`. There is no job to resubmit, and ids would be misleading. */
export function encodeFailureText(job: JobRecord, input: string | null = null): string {
  const failures = failureLines(job).map((line) =>
    line.replace(/^input \d+/, 'input').replace(/ the disk of the daemon\b/, ' the disk'),
  );
  const applicable = adviceLines(job).filter((advice) => !/submit/i.test(advice));
  return reportedText(
    [
      `${input === null ? '' : `${safeText(input)}: `}the encode ${safeText(job.state)}`,
      ...failures.map(indented),
    ],
    applicable,
  );
}

function reportedText(lines: readonly string[], hints: readonly string[]): string {
  return [...lines, ...hints.map((hint) => `hint: ${hint}`)].map((line) => `venc: ${line}\n`).join('');
}

const indented = (line: string): string => `  ${line}`;

/** A line for each failed file of a job: `input 3: NoMediaError: the file has no video and no audio`. */
export function failureLines(job: JobRecord): readonly string[] {
  const outputs = job.output_media_files.map((file) => ({ name: `output ${file.id}`, file }));
  return [{ name: `input ${job.input_media_file.id}`, file: job.input_media_file }, ...outputs].flatMap(
    ({ name, file: { error_class: errorClass, error_message: message } }) =>
      errorClass === null && message === null
        ? []
        : [`${name}: ${safeText([errorClass, message].filter(Boolean).join(': '))}`],
  );
}

/** The advice for the errors of a job, without duplicates. Unknown classes have none. */
function adviceLines(job: JobRecord): readonly string[] {
  const classes = [job.input_media_file, ...job.output_media_files].map((file) => file.error_class);
  const found = classes.flatMap((one) =>
    one !== null && isErrorClass(one) ? [errorClasses[one].advice] : [],
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

/** The progress of a job. */
export interface JobProgressState {
  readonly state: string;
  /** 0-100. */
  readonly progress: number;
}

/** The combined progress of several jobs. */
interface JobsProgress {
  readonly percent: number;
  /** `3 of 10 ended, 1 failed, 2 processing`. */
  readonly activity: string;
}

/**
 * Combines the progress of jobs. `unknown` is the number of jobs without progress so far. A job that has ended counts
 * as 100 percent in any final state.
 */
export function jobsProgress(jobs: Iterable<JobProgressState>, unknown: number): JobsProgress {
  const known = [...jobs];
  const count = known.length + unknown;
  const inState = (...states: readonly string[]) =>
    known.filter(({ state }) => states.includes(state)).length;
  const ended = known.filter(({ state }) => isFinal(state)).length;
  const done = known.reduce((sum, { state, progress }) => sum + (isFinal(state) ? 100 : progress), 0);
  const counts = [
    [inState('failed'), 'failed'],
    [inState('cancelled'), 'cancelled'],
    [inState('processing'), 'processing'],
  ] as const;
  return {
    percent: count === 0 ? 100 : Math.floor((done / count) * 100) / 100,
    activity: [
      `${ended} of ${count} ended`,
      ...counts.filter(([some]) => some > 0).map(([some, state]) => `${some} ${state}`),
    ].join(', '),
  };
}
