import type { JobProgressRecord, ProgressRecord } from '../../src/shared/records.js';
import { isFinal } from '../../src/shared/states.js';
import { roundToHundredths } from '../../src/shared/util/rounding.js';
import { expectedWork, inputWeightPercent } from './expected-work.js';
import type { Job, JobInput, JobOutput } from './job.js';
import { lastProgressPercent } from './last-progress.js';
import type { FileProgress, JobProgress } from './progress.js';

/** Progress of the input (section 4.8): `assigning` between the claim and the first byte. */
export function inputProgress(job: Job, progress: JobProgress): ProgressRecord {
  const known = progress.get(job.input.id);
  if (job.input.state === 'processing' && known === undefined) return { state: 'assigning', progress: 0 };
  return fileProgress(job, job.input, known);
}

/** Progress of one output (section 4.9). */
export function outputProgress(job: Job, output: JobOutput, progress: JobProgress): ProgressRecord {
  const known = progress.get(output.id);
  if (output.state === 'waiting' && job.state === 'processing') {
    return { state: 'waiting', current_event: 'downloading', current_event_progress: 0, progress: 0 };
  }
  return fileProgress(job, output, known);
}

/** Progress of a whole job, its input and its outputs (an addition to the document). */
export function jobProgress(job: Job, progress: JobProgress): JobProgressRecord {
  const input = { id: job.input.id, ...inputProgress(job, progress) };
  const outputs = job.outputs.map((output) => ({ id: output.id, ...outputProgress(job, output, progress) }));
  return { state: job.state, progress: overall(job, input, outputs), input, outputs };
}

function overall(job: Job, input: ProgressRecord, outputs: readonly ProgressRecord[]): number {
  if (job.state === 'finished') return 100;
  const inputWeight = inputWeightPercent(job.input.url);
  return roundToHundredths(
    (input.progress * inputWeight + outputsPercent(job, outputs) * (100 - inputWeight)) / 100,
  );
}

/**
 * Percent of all outputs together, each weighing what it is expected to take. Nothing before the input is known: outputs that were kept
 * from an earlier attempt would weigh more or less by then, and what is told must not fall.
 */
function outputsPercent(job: Job, outputs: readonly ProgressRecord[]): number {
  const { media } = job.input;
  if (media === null) return 0;
  const weights = job.outputs.map((output) => expectedWork(output, media, job));
  const done = outputs.reduce((sum, { progress }, index) => sum + progress * (weights[index] ?? 0), 0);
  return done / weights.reduce((sum, weight) => sum + weight, 0);
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
