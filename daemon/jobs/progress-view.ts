import type { JobProgressRecord, ProgressRecord } from '../../src/api/records.js';
import { hundredths } from '../../src/api/rounding.js';
import { isFinal } from '../../src/api/states.js';
import type { Job, JobInput, JobOutput } from './job.js';
import type { FileProgress, JobProgress } from './progress.js';

/**
 * How much of the whole the input's work is, in percent: encoding takes the most by far, so fetching and inspecting count for a
 * tenth.
 */
const inputSharePercent = 10;

/** Progress of the input (section 4.8): `assigning` between the claim and the first byte. */
export function inputProgress(job: Job, progress: JobProgress): ProgressRecord {
  const known = progress.get(job.input.id);
  if (job.input.state === 'processing' && known === undefined) return { state: 'assigning', progress: 0 };
  return fileProgress(job.input, known);
}

/** Progress of one output (section 4.9). */
export function outputProgress(job: Job, output: JobOutput, progress: JobProgress): ProgressRecord {
  const known = progress.get(output.id);
  if (output.state === 'waiting' && job.state === 'processing') {
    return { state: 'waiting', current_event: 'downloading', current_event_progress: 0, progress: 0 };
  }
  return fileProgress(output, known);
}

/** Progress of a whole job, its input and its outputs (an addition to the document). */
export function jobProgress(job: Job, progress: JobProgress): JobProgressRecord {
  const input = { id: job.input.id, ...inputProgress(job, progress) };
  const outputs = job.outputs.map((output) => ({ id: output.id, ...outputProgress(job, output, progress) }));
  return { state: job.state, progress: overall(job, input, outputs), input, outputs };
}

function overall(job: Job, input: ProgressRecord, outputs: readonly ProgressRecord[]): number {
  if (job.state === 'finished') return 100;
  const sum = outputs.reduce((total, output) => total + output.progress, 0);
  const ofOutputs = outputs.length === 0 ? 0 : sum / outputs.length;
  return hundredths((input.progress * inputSharePercent + ofOutputs * (100 - inputSharePercent)) / 100);
}

function fileProgress(file: JobInput | JobOutput, known: FileProgress | undefined): ProgressRecord {
  if (file.state === 'finished') return { state: 'finished', progress: 100 };
  if (isFinal(file.state) || known === undefined)
    return { state: file.state, progress: known?.overallPercent ?? 0 };
  const { event, percent, overallPercent, ...pace } = known;
  return {
    state: file.state,
    current_event: event,
    current_event_progress: percent,
    progress: overallPercent,
    ...pace,
  };
}
