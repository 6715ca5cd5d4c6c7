import type { Client } from '../../client/client.js';
import { follow } from '../../client/follow.js';
import type { FollowEvent } from '../../client/follow-context.js';
import { pollOnce } from '../../client/poll-once.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { exitCodeOf, formatError } from '../output/error-text.js';
import { failureText } from '../output/progress-text.js';
import type { Io } from '../terminal/io.js';

/** How to wait for jobs. */
export interface AwaitOptions {
  readonly signal: AbortSignal;
  /** The first job to end decides, instead of all together. */
  readonly isAny?: boolean;
  /** The service answered a moment ago. */
  readonly isKnownReachable?: boolean;
  /** Look at each job once, and wait for none. */
  readonly pollsOnce?: boolean;
  /** Whether to wait for every job that is active as well, until none is. */
  readonly discovery?: 'until-idle';
  /** Told of everything that happens on the way. */
  readonly onEvent?: (event: FollowEvent) => Promise<void> | void;
}

/**
 * Waits until jobs are final and tells with which exit code: done only when every job finished, else that of the first
 * that did not. Remarks why jobs failed, and that the service is out of reach; says nothing otherwise.
 */
export async function awaitJobs(
  client: Client,
  ids: readonly number[],
  io: Pick<Io, 'writeStderr'>,
  options: AwaitOptions,
): Promise<ExitCode> {
  const { signal, isKnownReachable = false, discovery } = options;
  let code: ExitCode = exitCodes.done;
  const events =
    options.pollsOnce === true
      ? pollOnce(client, ids, signal)
      : follow(client, ids, { signal, isKnownReachable, ...(discovery === undefined ? {} : { discovery }) });
  for await (const event of events) {
    await options.onEvent?.(event);
    if (event.type === 'unreachable') io.writeStderr(`venc: ${event.error.message} Trying again.\n`);
    if (event.type === 'back') io.writeStderr('venc: The service answers again.\n');
    if (event.type !== 'final' && event.type !== 'refused') continue;
    const ended = endOf(event);
    if (ended !== exitCodes.done) {
      io.writeStderr(event.type === 'final' ? failureText(event.job) : formatError(event.error, false));
    }
    if (options.isAny === true && event.type === 'final') return ended;
    if (code === exitCodes.done) code = ended;
  }
  return code;
}

function endOf(event: Extract<FollowEvent, { type: 'final' | 'refused' }>): ExitCode {
  if (event.type === 'refused') return exitCodeOf(event.error);
  return event.job.state === 'finished' ? exitCodes.done : exitCodes.jobFailed;
}

/** Adds to an interruption or a timeout that the jobs are still running, and the command that resumes waiting. Returns any other error unchanged. */
export function withStillRunningHint(
  error: unknown,
  ids: readonly number[],
  command: 'wait' | 'watch' = 'wait',
): unknown {
  if (!isVencError(error, 'InterruptedError') && !isVencError(error, 'TimedOutError')) return error;
  const subject = ids.length === 1 ? `Job ${ids[0]} goes on` : 'The jobs go on';
  const verb = command === 'wait' ? 'wait' : 'look';
  const resumeHint = { hint: `to ${verb} again: venc ${[command, ...ids].join(' ')}` };
  return new VencError(error.errorClass, `${error.message} ${subject}.`, resumeHint);
}
