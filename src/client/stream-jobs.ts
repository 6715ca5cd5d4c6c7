import { isFinal } from '../shared/states.js';
import { type FollowContext, type FollowEvents, isolateJobErrors, reportProgress } from './follow-context.js';

/** Reports what the open streams receive. Never ends: a stream that is over is removed, and polling opens it again. */
export async function* streamJobs(context: FollowContext): FollowEvents {
  const { schedule, jobs, streams } = context;
  for (;;) {
    await streams.waitForUpdates();
    for (const { id, job, hasEnded, retryMs } of streams.drain()) {
      if (jobs.has(id)) {
        const isOver = job !== null && isFinal(job.state);
        if (hasEnded && !isOver) schedule.endRound(job !== null, retryMs);
        if (isOver) yield* isolateJobErrors(id, reportProgress(context, job));
        else if (job !== null) yield { type: 'progress', job };
      }
      if (!hasEnded) continue;
      streams.remove(id);
      jobs.notifyChange();
    }
  }
}
