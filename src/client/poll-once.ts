import { isVencError, VencError } from '../shared/errors.js';
import { isFinal } from '../shared/states.js';
import type { Client } from './client.js';
import { type FollowEvent, sparing } from './follow.js';
import { createPace, paceLimitsFor } from './polling-schedule.js';
import { endOf } from './retry-policy.js';

/**
 * Asks about each job once, where there is no time to follow them. Throws `TimedOutError` at the end where one is not final, and otherwise
 * what `follow` throws; an outage is not waited out.
 */
export async function* lookAt(
  client: Pick<Client, 'job' | 'target'>,
  ids: readonly number[],
  signal: AbortSignal,
): AsyncGenerator<FollowEvent, void, undefined> {
  const pace = createPace(paceLimitsFor(client.target.url));
  let isTimedOut = false;

  async function* asked(id: number): AsyncGenerator<FollowEvent, void, undefined> {
    await pace.turn(signal);
    const job = await client.job(id, signal);
    if (isFinal(job.state)) yield { type: 'final', job };
    else isTimedOut = true;
  }

  try {
    for (const id of new Set(ids)) yield* sparing(id, asked(id));
  } catch (error) {
    throw signal.aborted && !isVencError(error, 'TimedOutError') ? endOf(signal) : error;
  }
  if (isTimedOut)
    throw new VencError('TimedOutError', 'It is not over yet, and --timeout leaves no time to wait.');
}
