/** States of a job (service document, section 3). */
export const jobStates = ['pending', 'waiting', 'processing', 'finished', 'failed', 'cancelled'] as const;
/** States of an input (section 3). */
export const inputStates = ['pending', 'waiting', 'processing', 'finished', 'failed', 'cancelled'] as const;
/** States of an output (section 3). `skipped` is understood from other services and never made here. */
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

export type JobState = (typeof jobStates)[number];
export type InputState = (typeof inputStates)[number];
export type OutputState = (typeof outputStates)[number];

const finalStates: ReadonlySet<string> = new Set(['finished', 'failed', 'cancelled', 'no input', 'skipped']);

/** Whether a job, an input or an output in this state changes no more by itself. Unknown states are not final. */
export function isFinal(state: string): boolean {
  return finalStates.has(state);
}

/** Whether a text is a job state (section 3). */
export function isJobState(text: string): text is JobState {
  return (jobStates as readonly string[]).includes(text);
}

/** What an input (`downloading`, `inspecting`) or an output is being worked on with (section 6). */
export const inputEvents = ['downloading', 'inspecting'] as const;
export const outputEvents = ['downloading', 'transcoding', 'uploading'] as const;
export type InputEvent = (typeof inputEvents)[number];
export type OutputEvent = (typeof outputEvents)[number];
