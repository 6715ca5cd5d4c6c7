import { isVencError, VencError } from '../shared/errors.js';
import { isFinal } from '../shared/states.js';
import type { Client } from './client.js';
import { type FollowEvents, isolateJobErrors } from './follow-context.js';
import { createPollingSchedule, pollingLimitsFor } from './polling-schedule.js';
import { toAbortError } from './with-retry.js';

/**
 * Requests each job once, for a timeout that leaves no time to follow them. Throws `TimedOutError` at the end if a job
 * is not final, and otherwise what `follow` throws. Network errors are not retried.
 */
export async function* pollOnce(
  client: Pick<Client, 'job' | 'target'>,
  ids: readonly number[],
  signal: AbortSignal,
): FollowEvents {
  const schedule = createPollingSchedule(pollingLimitsFor(client.target.url));
  let isTimedOut = false;

  async function* pollJob(id: number): FollowEvents {
    await schedule.waitForSlot(signal);
    const job = await client.job(id, signal);
    if (isFinal(job.state)) yield { type: 'final', job };
    else isTimedOut = true;
  }

  try {
    for (const id of new Set(ids)) yield* isolateJobErrors(id, pollJob(id));
  } catch (error) {
    throw signal.aborted && !isVencError(error, 'TimedOutError') ? toAbortError(signal) : error;
  }
  if (isTimedOut)
    throw new VencError('TimedOutError', 'The job is not finished, and --timeout leaves no time to wait.');
}
