import { scopeOfUncaught } from '../../src/shared/util/error-scope.js';
import type { Log } from '../../src/shared/util/log.js';
import { describeError } from '../queue/job-run.js';

/** More errors than this within a minute are no accident: the next one ends the process. */
const maxErrorsPerMinute = 100;

/**
 * Handles errors thrown in callbacks of sockets, files and timers, and unhandled rejections, until the returned
 * function is called. They fail the job in whose error scope they were thrown; errors outside of a job are logged, and
 * the process continues. Job records are written to disk before they change in memory, so an interrupted callback
 * leaves no record half changed.
 */
export function handleUncaughtErrors(log: Log): () => void {
  const seenAt: number[] = [];
  const onError = (error: unknown, promise: Promise<unknown> | null): void => {
    const now = performance.now();
    while (seenAt.length > 0 && now - (seenAt[0] ?? 0) > 60_000) seenAt.shift();
    if (seenAt.push(now) >= maxErrorsPerMinute) stop();
    const scope = scopeOfUncaught(error, promise);
    const origin = scope === undefined ? 'outside of any job' : `in the work of job ${scope.job.id}`;
    log('error', `An unexpected error was thrown ${origin}: ${describeError(error)}`, {
      ...(scope === undefined ? {} : { jobId: scope.job.id }),
    });
    scope?.fail(error);
  };
  const onException = (error: unknown): void => onError(error, null);
  process.on('uncaughtException', onException).on('unhandledRejection', onError);
  const stop = (): void =>
    void process.off('uncaughtException', onException).off('unhandledRejection', onError);
  return stop;
}
