import type { Client } from '../../client/client.js';
import type { FollowEvent } from '../../client/follow-context.js';
import type { ExitCode } from '../../shared/exit-codes.js';
import { activityText, type JobProgressState, jobsProgress } from '../output/progress-text.js';
import type { Interruption } from '../terminal/interrupt.js';
import type { Io } from '../terminal/io.js';
import { openProgressDisplay, type ProgressDisplay } from '../terminal/progress-display.js';
import type { ProgressMode } from '../terminal/progress-mode.js';
import { awaitJobs, withStillRunningHint } from './await-jobs.js';

/**
 * Waits for jobs that were just submitted and shows their progress on stderr: detailed for one job, combined for
 * several. Disposes the interruption.
 */
export async function waitWithProgress(
  client: Client,
  ids: readonly number[],
  options: { readonly interruption: Interruption; readonly mode: ProgressMode; readonly io: Io },
): Promise<ExitCode> {
  const { io, mode } = options;
  const { signal, dispose } = options.interruption;
  const display = await openProgressDisplay(
    io,
    mode,
    ids.length === 1 ? `job ${ids[0]}` : `${ids.length} jobs`,
  );
  const onEvent = ids.length === 1 ? showOne(display) : showAll(display, ids);
  try {
    return await awaitJobs(client, ids, display, { signal, isKnownReachable: true, onEvent });
  } catch (error) {
    throw withStillRunningHint(error, ids);
  } finally {
    display.stop();
    dispose();
  }
}

function showOne(display: ProgressDisplay): (event: FollowEvent) => void {
  return (event) => {
    if (event.type === 'progress') {
      display.update(event.job.progress, activityText(event.job), event.job);
    } else if (event.type === 'final') {
      const { id, state } = event.job;
      if (state === 'finished') display.update(100, state, { id });
      display.stop();
    }
  };
}

function showAll(display: ProgressDisplay, ids: readonly number[]): (event: FollowEvent) => void {
  const progressStates = new Map<number, JobProgressState>();
  return (event) => {
    if (event.type === 'rejected') progressStates.set(event.id, { state: 'failed', progress: 100 });
    if (event.type !== 'progress' && event.type !== 'final') return;
    const { job } = event;
    const progress = event.type === 'progress' ? event.job.progress : 100;
    progressStates.set(job.id, { state: job.state, progress });
    const { percent, activity } = jobsProgress(progressStates.values(), ids.length - progressStates.size);
    display.update(percent, activity, event.type === 'progress' ? job : { id: job.id, state: job.state });
  };
}
