/** States of a job (service document, section 3). */
export const jobStates = ['pending', 'waiting', 'processing', 'finished', 'failed', 'cancelled'] as const;
/** States in which a job no longer changes, unless it is resubmitted. */
export const finalJobStates = ['finished', 'failed', 'cancelled'] as const satisfies readonly JobState[];
/** States of an input (section 3). */
export const inputStates = ['pending', 'waiting', 'processing', 'finished', 'failed', 'cancelled'] as const;
/** States of an output (section 3). A rule of the request excluded an output that is `skipped`. */
export const outputStates = [
  'waiting',
  'queued',
  'assigning',
  'processing',
  'finished',
  'failed',
  'cancelled',
  'no input',
  'skipped',
] as const;

/** State of a job. */
export type JobState = (typeof jobStates)[number];
/** State of an input. */
export type InputState = (typeof inputStates)[number];
/** State of an output. */
export type OutputState = (typeof outputStates)[number];

const finalStates: ReadonlySet<string> = new Set(['finished', 'failed', 'cancelled', 'no input', 'skipped']);

/**
 * Whether a job, an input or an output in this state no longer changes, unless the job is resubmitted. Unknown states
 * are not final.
 */
export function isFinal(state: string): boolean {
  return finalStates.has(state);
}

/** A state as the predicate of a sentence: `has failed`, `is waiting`. */
export function stateClause(state: JobState): string {
  return state === 'failed' ? 'has failed' : `is ${state}`;
}

/** Whether a text is a job state (section 3). */
export function isJobState(text: string): text is JobState {
  return (jobStates as readonly string[]).includes(text);
}

/** What is being done for an input (section 6). */
export const inputEvents = ['downloading', 'inspecting'] as const;
/** The probes of a search for a quality, in their order; an addition. */
export const searchEvents = ['search 1 of 4', 'search 2 of 4', 'search 3 of 4', 'search 4 of 4'] as const;
/**
 * What is being done for an output (section 6); `ladder`, searches and `check` are additions. Without spreads, which
 * bundlers keep in a program that does not use the list.
 */
export const outputEvents = [
  'downloading',
  'ladder',
  'search 1 of 4',
  'search 2 of 4',
  'search 3 of 4',
  'search 4 of 4',
  'transcoding',
  'check',
  'uploading',
] as const;
/** What is being done for an input. */
export type InputEvent = (typeof inputEvents)[number];
/** What is being done for an output. */
export type OutputEvent = (typeof outputEvents)[number];

/** States of an output in the early, unversioned progress form (section 3). */
export const earlyOutputStates = ['queued', 'processing', 'failed', 'finished', 'cancelled'] as const;
/** Events of an output in the early form (section 6): capitalised. */
export const earlyOutputEvents = ['Inspecting', 'Downloading', 'Transcoding', 'Uploading'] as const;
/** State of an output in the early form. */
export type EarlyOutputState = (typeof earlyOutputStates)[number];
/** Event of an output in the early form. */
export type EarlyOutputEvent = (typeof earlyOutputEvents)[number];

/** The states of a job and its files, in the form that job records and progress records share. */
interface JobStates {
  readonly state: string;
  readonly input: { readonly state: string };
  readonly outputs: readonly { readonly state: string }[];
  /** Whether the job itself is paused, an addition to the service. */
  readonly paused?: boolean | undefined;
}

/** The progress of a file; a service may omit the time. */
interface FileProgress {
  readonly state: string;
  readonly eta_in_ms?: number | null;
}

/**
 * The state of a job as shown to users: `queued` while a job that the service calls `processing` only waits for a
 * free encoding slot, which is when none of its files is being processed; `paused` if the job itself is. Otherwise the
 * state of the record.
 */
export function displayState({ state, input, outputs, paused = false }: JobStates): string {
  if (paused) return 'paused';
  if (state !== 'processing' || !isFinal(input.state)) return state;
  const unfinished = outputs.filter((output) => !isFinal(output.state));
  return unfinished.length > 0 && unfinished.every((output) => output.state === 'queued') ? 'queued' : state;
}

/**
 * The progress of a job as shown to users: 0 while it waits for a free encoding slot and no output has been started,
 * although its input has been read, which a service counts as progress.
 */
export function displayProgress(job: JobStates & { readonly progress: number }): number {
  const isUntouched = job.outputs.every(({ state }) => state === 'queued');
  return displayState(job) === 'queued' && isUntouched ? 0 : job.progress;
}

/** Milliseconds until a file is finished; null if unknown, as for every file that has not been started. */
export function etaOfFile({ state, eta_in_ms: etaMs }: FileProgress): number | null {
  return state === 'processing' ? (etaMs ?? null) : null;
}

/**
 * Milliseconds until all outputs of a job are finished: the maximum over its outputs. Null if the time of an
 * unfinished output is unknown. An estimate from the percentage of the job was rejected: queued outputs contribute no
 * progress, so the estimate was far too short.
 */
export function etaOfJob(outputs: readonly FileProgress[]): number | null {
  const etas = outputs.filter(({ state }) => !isFinal(state)).map(etaOfFile);
  const known = etas.filter((eta) => eta !== null);
  return known.length === 0 || known.length < etas.length ? null : Math.max(...known);
}
