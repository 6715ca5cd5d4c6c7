import { isFinal } from '../../shared/states.js';

/** How far a job is. */
export interface JobProgressState {
  readonly state: string;
  /** 0-100. */
  readonly progress: number;
}

/** How far several jobs are, taken together. */
export interface JobsProgress {
  readonly percent: number;
  /** `3 of 10 ended, 1 failed, 2 processing`. */
  readonly activity: string;
}

/** Sums up how far jobs are. Of those that nothing is known of yet there are `unknown`. A job that has ended is done, however it did. */
export function jobsProgress(jobs: Iterable<JobProgressState>, unknown: number): JobsProgress {
  const known = [...jobs];
  const count = known.length + unknown;
  const inState = (...states: readonly string[]) =>
    known.filter(({ state }) => states.includes(state)).length;
  const ended = known.filter(({ state }) => isFinal(state)).length;
  const done = known.reduce((sum, { state, progress }) => sum + (isFinal(state) ? 100 : progress), 0);
  const counts = [
    [inState('failed'), 'failed'],
    [inState('cancelled'), 'cancelled'],
    [inState('processing'), 'processing'],
  ] as const;
  return {
    percent: count === 0 ? 100 : Math.floor((done / count) * 100) / 100,
    activity: [
      `${ended} of ${count} ended`,
      ...counts.filter(([some]) => some > 0).map(([some, state]) => `${some} ${state}`),
    ].join(', '),
  };
}
