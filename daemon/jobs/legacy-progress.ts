import type { EarlyOutputProgress, ProgressRecord } from '../../src/shared/records.js';
import type { EarlyOutputEvent, EarlyOutputState, InputEvent, OutputEvent } from '../../src/shared/states.js';
import type { Job, JobOutput } from './job.js';
import type { JobProgress } from './progress.js';
import { outputProgress } from './progress-view.js';

/** Progress as version 1 has it (section 9): `progress` is the percent of the current event, overall where there is none any more. */
export interface ProgressV1<State extends string, Event extends string> {
  readonly state: State;
  readonly current_event?: Event;
  readonly progress: number;
}

/**
 * Progress in the words of version 1 (section 9), made of that of version 2: 100 for what is finished, what was reached for what ended
 * otherwise, 0 for what has not begun. What an encoder says of its pace is left out.
 */
export function progressV1<State extends string, Event extends string>(
  record: ProgressRecord<State, Event>,
): ProgressV1<State, Event> {
  const progress = record.current_event_progress ?? record.progress;
  if (record.current_event === undefined) return { state: record.state, progress };
  return { state: record.state, current_event: record.current_event, progress };
}

/**
 * The early form knows five states (section 3). An output that a condition ruled out is nearest to a cancelled one: nothing went wrong,
 * and there is no file to fetch.
 */
const earlyStates = {
  waiting: 'queued',
  queued: 'queued',
  assigning: 'processing',
  processing: 'processing',
  finished: 'finished',
  failed: 'failed',
  cancelled: 'cancelled',
  'no input': 'failed',
  skipped: 'cancelled',
} as const satisfies Readonly<Record<JobOutput['state'], EarlyOutputState>>;

const earlyEvents = {
  downloading: 'Downloading',
  inspecting: 'Inspecting',
  transcoding: 'Transcoding',
  uploading: 'Uploading',
} as const satisfies Readonly<Record<InputEvent | OutputEvent, EarlyOutputEvent>>;

/**
 * Progress of an output in the early, unversioned form (sections 4.9 and 6). While it waits for its input, its event is that of the
 * input: this form has no other way to tell of an inspection.
 */
export function earlyOutputProgress(job: Job, output: JobOutput, progress: JobProgress): EarlyOutputProgress {
  const state = earlyStates[output.state];
  const ofInput = progress.get(job.input.id);
  if (output.state === 'waiting' && ofInput !== undefined)
    return { state, current_event: earlyEvents[ofInput.event], progress: ofInput.percent };
  const { current_event, progress: percent } = progressV1(outputProgress(job, output, progress));
  if (current_event === undefined) return { state, progress: percent };
  return { state, current_event: earlyEvents[current_event], progress: percent };
}
