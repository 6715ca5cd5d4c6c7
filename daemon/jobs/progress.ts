import type { EncoderSpeed } from '../../src/shared/records.js';
import type { InputEvent, OutputEvent } from '../../src/shared/states.js';

/** What a run reports of one file while it works on it. `percent` is 0-100 of the event named. */
export interface FileProgress extends EncoderSpeed {
  readonly event: InputEvent | OutputEvent;
  readonly percent: number;
  /** Overall percent of this input or output, 0-100, never falling within a run. */
  readonly overallPercent: number;
}

/** Progress of one job's files, by the id of the input or output. Lives in memory, never on disk. */
export type JobProgress = ReadonlyMap<number, FileProgress>;
