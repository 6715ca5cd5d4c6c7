import { AsyncLocalStorage } from 'node:async_hooks';
import type { Log } from '../../src/shared/util/log.js';
import type { ErrorScope, RunInErrorScope } from '../jobs/run.js';
import { describeError } from '../queue/job-run.js';

/** Keeps uncaught errors from ending the process. */
interface UncaughtErrorHandler {
  /** Runs a task. An uncaught error in any callback of the task is passed to the scope's `fail`. */
  readonly runInErrorScope: RunInErrorScope;
  /** The job in whose run this is called; undefined outside of any. */
  currentJob(): ErrorScope['job'] | undefined;
  /**
   * Installs the handler: from now on, uncaught errors do not end the process. The returned function removes
   * it.
   */
  install(): () => void;
}

/** More errors than this within a minute are no accident: the next one ends the process. */
const maxErrorsPerMinute = 100;

/**
 * Handles errors thrown in callbacks of sockets, files and timers, and unhandled rejections. They fail the
 * job in whose asynchronous context they were thrown; errors outside of a job are logged, and the process
 * continues. Job records are written to disk before they change in memory, so an interrupted callback leaves
 * no record half changed.
 */
export function createUncaughtErrorHandler(log: Log): UncaughtErrorHandler {
  const context = new AsyncLocalStorage<ErrorScope>();
  const seenAt: number[] = [];
  const onError = (error: unknown): void => {
    const now = performance.now();
    while (seenAt.length > 0 && now - (seenAt[0] ?? 0) > 60_000) seenAt.shift();
    if (seenAt.push(now) >= maxErrorsPerMinute) process.off('uncaughtException', onError);
    const scope = context.getStore();
    const origin = scope === undefined ? 'outside of any job' : `in the work of job ${scope.job.id}`;
    log('error', `An unexpected error was thrown ${origin}: ${describeError(error)}`, {
      ...(scope === undefined ? {} : { jobId: scope.job.id }),
    });
    scope?.fail(error);
  };
  return {
    runInErrorScope: (scope, task) => context.run(scope, task),
    currentJob: () => context.getStore()?.job,
    install() {
      // Unhandled rejections arrive here as well.
      process.on('uncaughtException', onError);
      return () => process.off('uncaughtException', onError);
    },
  };
}
