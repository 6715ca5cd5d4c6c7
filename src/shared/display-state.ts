import type { ProgressRecord } from './records.js';
import { isFinal } from './states.js';

/** The states of a job and its files, in the form that job records and progress records share. */
interface JobStates {
  readonly state: string;
  readonly input: { readonly state: string };
  readonly outputs: readonly { readonly state: string }[];
}

/**
 * The state of a job as shown to users: `queued` while a job that the service calls `processing` only waits for a
 * free encoding slot, which is when none of its files is being processed. Otherwise the state of the record.
 */
export function displayState({ state, input, outputs }: JobStates): string {
  if (state !== 'processing' || !isFinal(input.state)) return state;
  const unfinished = outputs.filter((output) => !isFinal(output.state));
  return unfinished.length > 0 && unfinished.every((output) => output.state === 'queued') ? 'queued' : state;
}

/**
 * The progress of a job as shown to users: 0 while it waits for a free encoding slot and no output has been started,
 * although its input has been read, which a service counts as progress.
 */
export function displayProgress(job: JobStates & Pick<ProgressRecord, 'progress'>): number {
  const isUntouched = job.outputs.every(({ state }) => state === 'queued');
  return displayState(job) === 'queued' && isUntouched ? 0 : job.progress;
}

/** Milliseconds until a file is finished; null if unknown, as for every file that has not been started. */
export function etaOfFile({
  state,
  eta_in_ms: etaMs,
}: Pick<ProgressRecord, 'state' | 'eta_in_ms'>): number | null {
  return state === 'processing' ? (etaMs ?? null) : null;
}

/**
 * Milliseconds until all outputs of a job are finished: the maximum over its outputs. Null if the time of an
 * unfinished output is unknown. An estimate from the percentage of the job was rejected: queued outputs contribute no
 * progress, so the estimate was far too short.
 */
export function etaOfJob(outputs: readonly Pick<ProgressRecord, 'state' | 'eta_in_ms'>[]): number | null {
  const etas = outputs.filter(({ state }) => !isFinal(state)).map(etaOfFile);
  const known = etas.filter((eta) => eta !== null);
  return known.length === 0 || known.length < etas.length ? null : Math.max(...known);
}
