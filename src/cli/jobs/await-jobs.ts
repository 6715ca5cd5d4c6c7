import type { Client } from '../../client/client.js';
import { follow, pollOnce } from '../../client/follow.js';
import type { FollowEvent } from '../../client/follow-context.js';
import type { QueuePause } from '../../client/job-progress.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { pausedHint } from '../../shared/text/units.js';
import { exitCodeOf, formatError } from '../output/error-text.js';
import { failureText } from '../output/progress-text.js';
import type { Io } from '../terminal/io.js';

/** How to wait for jobs. */
interface AwaitOptions {
  readonly signal: AbortSignal;
  /** Return when the first job ends, with its exit code. */
  readonly isAny?: boolean;
  /** Whether the service has just answered. */
  readonly isKnownReachable?: boolean;
  /** Poll each job once instead of waiting. */
  readonly pollsOnce?: boolean;
  /** Whether to also wait for all active jobs, until none is active. */
  readonly discovery?: 'until-idle';
  /** The name of the input of a job, if there are several. */
  readonly nameOf?: (id: number) => string | null;
  /** Called for every event. */
  readonly onEvent?: (event: FollowEvent) => Promise<void> | void;
}

/**
 * Waits until jobs have ended and resolves to the exit code: done if every job finished, else that of the first that
 * did not. Prints why jobs failed, and when the service is unreachable or the queue paused; prints nothing else.
 */
export async function awaitJobs(
  client: Client,
  ids: readonly number[],
  io: Pick<Io, 'writeStderr' | 'writeInfo'>,
  options: AwaitOptions,
): Promise<ExitCode> {
  const { signal, isKnownReachable = false, discovery } = options;
  let code: ExitCode = exitCodes.done;
  let unreachable: VencError | null = null;
  const notePause = (pause: QueuePause | null) =>
    io.writeInfo(`venc: ${pause === null ? 'the queue is resumed' : pausedHint(pause)}\n`);
  const events =
    options.pollsOnce === true
      ? pollOnce(client, ids, signal)
      : follow(client, ids, { signal, isKnownReachable, ...(discovery === undefined ? {} : { discovery }) });
  try {
    for await (const event of events) {
      await options.onEvent?.(event);
      if (event.type === 'unreachable') {
        unreachable = event.error;
        io.writeStderr(`venc: ${event.error.message} Trying again until it answers.\n`);
      }
      if (event.type === 'back') {
        unreachable = null;
        io.writeInfo('venc: The service answers again.\n');
      }
      if (event.type === 'queue') notePause(event.pause);
      if (event.type !== 'final' && event.type !== 'rejected') continue;
      const ended = endOf(event);
      if (ended !== exitCodes.done) {
        io.writeStderr(
          event.type === 'final'
            ? failureText(event.job, options.nameOf?.(event.job.id))
            : formatError(event.error, false),
        );
      }
      if (options.isAny === true && event.type === 'final') return ended;
      if (code === exitCodes.done) code = ended;
    }
  } catch (error) {
    if (unreachable === null || !isVencError(error)) throw error;
    throw new VencError(error.errorClass, error.message, { cause: unreachable });
  }
  return code;
}

function endOf(event: Extract<FollowEvent, { type: 'final' | 'rejected' }>): ExitCode {
  if (event.type === 'rejected') return exitCodeOf(event.error);
  return event.job.state === 'finished' ? exitCodes.done : exitCodes.jobFailed;
}

/**
 * Adds to an interruption or a timeout that the jobs are still running, or that their state is unknown because the
 * service was unreachable at the end, and the command to resume. Returns any other
 * error unchanged.
 */
export function withStillRunningHint(
  error: unknown,
  ids: readonly number[],
  command: 'wait' | 'watch' = 'wait',
): unknown {
  if (!isVencError(error, 'InterruptedError') && !isVencError(error, 'TimedOutError')) return error;
  const isLost = isVencError(error.cause, 'UnreachableError');
  const [one] = ids.length === 1 ? ids : [];
  const running = one === undefined ? 'The jobs are still running' : `Job ${one} is still running`;
  const lost = `The service could not be reached; the state of ${one === undefined ? 'the jobs' : `job ${one}`} is unknown`;
  const resumeHint = { hint: `to ${command} again: venc ${[command, ...ids].join(' ')}` };
  return new VencError(error.errorClass, `${error.message} ${isLost ? lost : running}.`, resumeHint);
}
