import { AsyncLocalStorage } from 'node:async_hooks';
import { describeError } from '../queue/end-of-run.js';
import type { ErrorScope, RunInErrorScope } from '../queue/local/local-run.js';

/** What keeps errors that nobody caught from ending the process. */
export interface UncaughtErrorHandler {
  /** Does a piece of work. An error that nobody catches, in any callback of it, is told to its `fail`. */
  readonly runInErrorScope: RunInErrorScope;
  /** From now on no such error ends the process. The function given back ends that. */
  install(): () => void;
}

/** So many errors within a minute are no accident: the next one ends the process. */
const maxErrorsPerMinute = 100;

/**
 * The last line of defence: errors thrown in callbacks of sockets, files and timers, and rejections that nobody handles. They fail the one job
 * in whose work they were thrown, known by its asynchronous context; those of no job are logged, and the process goes on. The records of jobs
 * are on disk before they are in memory, so a callback that broke off leaves none of them half changed.
 */
export function createUncaughtErrorHandler(
  log: (level: 'error', message: string) => void,
): UncaughtErrorHandler {
  const context = new AsyncLocalStorage<ErrorScope>();
  const seenAt: number[] = [];
  const onError = (error: unknown): void => {
    const now = performance.now();
    while (seenAt.length > 0 && now - (seenAt[0] ?? 0) > 60_000) seenAt.shift();
    if (seenAt.push(now) >= maxErrorsPerMinute) process.off('uncaughtException', onError);
    const work = context.getStore();
    const origin = work === undefined ? 'outside of any job' : `in the work of ${work.name}`;
    log('error', `An unexpected error was thrown ${origin}: ${describeError(error)}`);
    work?.fail(error);
  };
  return {
    runInErrorScope: (work, task) => context.run(work, task),
    install() {
      // Rejections that nobody handles come here as well.
      process.on('uncaughtException', onError);
      return () => process.off('uncaughtException', onError);
    },
  };
}
