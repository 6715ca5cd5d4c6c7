import type { EarlyOutputProgress, ProgressRecord } from '../../src/shared/records.js';
import type { EarlyOutputEvent, EarlyOutputState, InputEvent, OutputEvent } from '../../src/shared/states.js';
import type { Job, JobOutput } from './job.js';
import { type JobProgress, outputProgress } from './progress.js';

/**
 * A progress record of version 1 (section 9). `progress` is the percent of the current event, or the overall percent
 * without one.
 */
interface ProgressV1<State extends string, Event extends string> {
  readonly state: State;
  readonly current_event?: Event;
  readonly progress: number;
}

/**
 * Converts a progress record of version 2 to version 1 (section 9). `progress` is 100 for a finished file, the last
 * progress for a file that failed or was cancelled, and 0 for a file that has not started. The encoder speed is
 * omitted.
 */
export function progressV1<State extends string, Event extends string>(
  record: ProgressRecord<State, Event>,
): ProgressV1<State, Event> {
  const progress = record.current_event_progress ?? record.progress;
  if (record.current_event === undefined) return { state: record.state, progress };
  return { state: record.state, current_event: record.current_event, progress };
}

/**
 * The unversioned API has five states (section 3). A skipped output maps to `cancelled`: it has no error and no file.
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
  ladder: 'Transcoding',
  'search 1 of 4': 'Transcoding',
  'search 2 of 4': 'Transcoding',
  'search 3 of 4': 'Transcoding',
  'search 4 of 4': 'Transcoding',
  transcoding: 'Transcoding',
  check: 'Transcoding',
  uploading: 'Uploading',
} as const satisfies Readonly<Record<InputEvent | OutputEvent, EarlyOutputEvent>>;

/**
 * Progress of an output in the unversioned API (sections 4.9 and 6). While the output waits for its input, its event is
 * that of the input: this API has no other way to report the inspection.
 */
export function earlyOutputProgress(job: Job, output: JobOutput, progress: JobProgress): EarlyOutputProgress {
  const state = earlyStates[output.state];
  const known = progress.get(job.input.id);
  if (output.state === 'waiting' && known !== undefined)
    return { state, current_event: earlyEvents[known.event], progress: known.percent };
  const { current_event, progress: percent } = progressV1(outputProgress(job, output, progress));
  if (current_event === undefined) return { state, progress: percent };
  return { state, current_event: earlyEvents[current_event], progress: percent };
}
