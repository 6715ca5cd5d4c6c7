import type { WatchedJob, WatchState } from './watch-types.js';
import { isFailed } from './watched-job.js';

/** The jobs that the screen shows, in their order. */
export function shownJobs({ jobs, showsOnlyFailed }: WatchState): readonly WatchedJob[] {
  return showsOnlyFailed ? jobs.filter(isFailed) : jobs;
}

/** The selected job; undefined if none is shown. */
export function selectedJob(state: WatchState): WatchedJob | undefined {
  return shownJobs(state)[state.selected];
}
