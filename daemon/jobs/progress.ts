import type { EncoderSpeed, JobProgressRecord, ProgressRecord } from '../../src/shared/records.js';
import { type InputEvent, isFinal, type OutputEvent } from '../../src/shared/states.js';
import { roundToHundredths } from '../../src/shared/text/numbers.js';
import { expectedWork, inputWeightPercent } from './expected-work.js';
import type { Job, JobInput, JobOutput, LastProgress } from './job.js';

/** What a run reports of one file while it works on it. `percent` is 0-100 of the event named. */
export interface FileProgress extends EncoderSpeed {
  readonly event: InputEvent | OutputEvent;
  readonly percent: number;
  /** Overall percent of this input or output, 0-100. Never falls within a run. */
  readonly overallPercent: number;
}

/** Progress of the files of one running job, by the id of the input or output. Kept in memory, never on disk. */
export type JobProgress = ReadonlyMap<number, FileProgress>;

/** Progress of one run of a job. */
export interface RunProgress {
  /** Distinguishes the runs of one process. */
  readonly run: number;
  readonly files: JobProgress;
}

/** Progress of the input (section 4.8). Its state is `assigning` between the claim and the first byte. */
export function inputProgress(job: Job, progress: JobProgress): ProgressRecord {
  const known = progress.get(job.input.id);
  if (job.input.state === 'processing' && known === undefined) return { state: 'assigning', progress: 0 };
  return fileProgress(job, job.input, known);
}

/** Progress of one output (section 4.9). */
export function outputProgress(job: Job, output: JobOutput, progress: JobProgress): ProgressRecord {
  const known = progress.get(output.id);
  if (output.state === 'waiting' && job.state === 'processing' && !isFinal(job.input.state)) {
    return { state: 'waiting', current_event: 'downloading', current_event_progress: 0, progress: 0 };
  }
  return fileProgress(job, output, known);
}

/** Progress of a whole job, its input and its outputs (an addition to the service document). */
export function jobProgress(job: Job, progress: JobProgress): JobProgressRecord {
  const input = { id: job.input.id, ...inputProgress(job, progress) };
  const outputs = job.outputs.map((output) => ({ id: output.id, ...outputProgress(job, output, progress) }));
  const paused = job.isPaused === undefined ? {} : { paused: job.isPaused };
  return { state: job.state, progress: overall(job, input, outputs), ...paused, input, outputs };
}

function overall(job: Job, input: ProgressRecord, outputs: readonly ProgressRecord[]): number {
  if (job.state === 'finished') return 100;
  const inputWeight = inputWeightPercent(job.input.url);
  // A further machine that makes outputs of the job fetches the input again.
  const inputPercent = isInspected(job.input) ? 100 : input.progress;
  return roundToHundredths(
    (inputPercent * inputWeight + outputsPercent(job, outputs) * (100 - inputWeight)) / 100,
  );
}

/**
 * Percent of all outputs together, weighted by their expected work. It is 0 until the input is inspected: the weights
 * depend on the input. Outputs that an earlier run finished would otherwise change weight at the inspection, and
 * reported progress must not fall.
 */
function outputsPercent(job: Job, outputs: readonly ProgressRecord[]): number {
  const { media } = job.input;
  if (!isInspected(job.input)) return 0;
  // Skipped outputs do not count.
  const weights = job.outputs.map((output) =>
    output.state === 'skipped' ? 0 : media === null ? 1 : expectedWork(output, media, job),
  );
  const done = outputs.reduce((sum, { progress }, index) => sum + progress * (weights[index] ?? 0), 0);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return total === 0 ? 0 : done / total;
}

/** Whether the input was inspected, by the machine that holds the job or by one that has made other outputs. */
function isInspected({ state, media }: JobInput): boolean {
  return state === 'finished' || media !== null;
}

function fileProgress(job: Job, file: JobInput | JobOutput, known: FileProgress | undefined): ProgressRecord {
  if (file.state === 'finished') return { state: 'finished', progress: 100 };
  if (isFinal(file.state)) return { state: file.state, progress: lastProgressPercent(job, file.id) };
  if (known === undefined) return { state: file.state, progress: 0 };
  const { event, percent, overallPercent, ...speedFields } = known;
  return {
    state: file.state,
    current_event: event,
    current_event_progress: percent,
    progress: overallPercent,
    ...speedFields,
  };
}

/**
 * Returns the job with the last known progress of its failed and cancelled files. The in-memory progress is dropped
 * after the run, and reported progress must not fall (contract, section 6). Returns the same object if there is nothing
 * to add. Pure.
 */
export function withLastProgress(job: Job, progress: JobProgress): Job {
  const added = [job.input, ...job.outputs].flatMap(({ id, state }): readonly LastProgress[] => {
    const percent = progress.get(id)?.overallPercent ?? 0;
    const isKept = state === 'finished' || job.lastProgress.some((last) => last.id === id);
    return percent === 0 || isKept || !isFinal(state) ? [] : [{ id, percent }];
  });
  return added.length === 0 ? job : { ...job, lastProgress: [...job.lastProgress, ...added] };
}

/** Overall percent of a file when it failed or was cancelled; 0 if unknown. */
function lastProgressPercent(job: Job, id: number): number {
  return job.lastProgress.find((last) => last.id === id)?.percent ?? 0;
}
