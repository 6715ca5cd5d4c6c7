import type { JobState } from '../../../src/shared/states.js';

/** What a job of the kill suite does. */
export type JobKind = 'hosted' | 'file' | 'bucket' | 'slow' | 'long' | 'missing' | 'upload';

/** What the test knows about one job, from the answers that it got. */
export interface ModelJob {
  /** Unique text in `pass_through`, by which the job is found even if its create was never answered. */
  readonly tag: string;
  readonly key: string | null;
  readonly kind: JobKind;
  readonly body: string;
  /** Null until a create was answered. */
  id: number | null;
  /** The final state that the daemon reported and that nothing may have changed since; null if unknown. */
  settled: JobState | null;
  /** A resubmit was answered, and no cancel was sent since. */
  isResubmitted: boolean;
  /** `maybe`: the request to remove it was never answered. */
  removed: 'no' | 'maybe' | 'yes';
  /** The daemon's generation in which the removal was answered. */
  removedIn: number;
  /** Duration of its finished outputs when it was last read, in milliseconds. */
  usageMs: number;
  /** Their destinations. */
  finishedUrls: readonly string[];
  /** A request about it is under way. */
  isBusy: boolean;
}

/** An upload that was answered. */
export interface ModelUpload {
  readonly url: string;
  readonly bytes: Buffer;
}

/** Everything that the daemon acknowledged. */
export interface KillModel {
  readonly jobs: ModelJob[];
  readonly uploads: ModelUpload[];
  /** Number of the daemon process, from 0. */
  generation: number;
  readonly counts: {
    creates: number;
    unanswered: number;
    cancels: number;
    resubmits: number;
    removals: number;
    uploads: number;
    repeats: number;
  };
}

/** A model of a daemon without jobs. */
export function createKillModel(): KillModel {
  return {
    jobs: [],
    uploads: [],
    generation: 0,
    counts: { creates: 0, unanswered: 0, cancels: 0, resubmits: 0, removals: 0, uploads: 0, repeats: 0 },
  };
}

/** The acknowledged jobs that were not removed. */
export function existingJobs(model: KillModel): readonly ModelJob[] {
  return model.jobs.filter(({ id, removed }) => id !== null && removed === 'no');
}
