import { isVencError, VencError } from '../shared/errors.js';
import { isFinal } from '../shared/states.js';
import type { Client } from './client.js';
import { type FollowEvent, isolateJobErrors } from './follow.js';
import { createPollingSchedule, pollingLimitsFor } from './polling-schedule.js';
import { toAbortError } from './with-retry.js';

/**
 * Asks about each job once, where there is no time to follow them. Throws `TimedOutError` at the end where one is not final, and otherwise
 * what `follow` throws; an outage is not waited out.
 */
export async function* pollOnce(
  client: Pick<Client, 'job' | 'target'>,
  ids: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<FollowEvent, void, undefined> {
  const schedule = createPollingSchedule(pollingLimitsFor(client.target.url));
  let isTimedOut = false;

  async function* pollJob(id: number): AsyncGenerator<FollowEvent, void, undefined> {
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
    throw new VencError('TimedOutError', 'It is not over yet, and --timeout leaves no time to wait.');
}
