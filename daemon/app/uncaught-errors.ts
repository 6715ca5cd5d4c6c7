import { AsyncLocalStorage } from 'node:async_hooks';
import { textOf } from '../queue/end-of-run.js';
import type { Confine, ConfinedWork } from '../queue/local/local-run.js';

/** What keeps errors that nobody caught from ending the process. */
export interface StrayErrors {
  /** Does a piece of work. An error that nobody catches, in any callback of it, is told to its `fail`. */
  readonly confine: Confine;
  /** From now on no such error ends the process. The function given back ends that. */
  listen(): () => void;
}

/** So many errors within a minute are no accident: the next one ends the process. */
const mostInAMinute = 100;

/**
 * The last line of defence: errors thrown in callbacks of sockets, files and timers, and rejections that nobody handles. They fail the one job
 * in whose work they were thrown, known by its asynchronous context; those of no job are logged, and the process goes on. The records of jobs
 * are on disk before they are in memory, so a callback that broke off leaves none of them half changed.
 */
export function createStrayErrors(log: (level: 'error', message: string) => void): StrayErrors {
  const context = new AsyncLocalStorage<ConfinedWork>();
  const seenAt: number[] = [];
  const onError = (error: unknown): void => {
    const now = performance.now();
    while (seenAt.length > 0 && now - (seenAt[0] ?? 0) > 60_000) seenAt.shift();
    if (seenAt.push(now) >= mostInAMinute) process.off('uncaughtException', onError);
    const work = context.getStore();
    const where = work === undefined ? 'outside of any job' : `in the work of ${work.name}`;
    log('error', `An unexpected error was thrown ${where}: ${textOf(error)}`);
    work?.fail(error);
  };
  return {
    confine: (work, act) => context.run(work, act),
    listen() {
      // Rejections that nobody handles come here as well.
      process.on('uncaughtException', onError);
      return () => process.off('uncaughtException', onError);
    },
  };
}
