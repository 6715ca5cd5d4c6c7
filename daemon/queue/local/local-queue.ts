import type { RunInErrorScope } from '../../jobs/run.js';
import type { JobQueue } from '../job-queue.js';
import type { JobSource } from '../job-source.js';
import type { QueueRunDeps } from '../queue-run.js';
import { type Delay, delay } from '../retry-until-persisted.js';
import { RunQueue } from '../run-queue.js';
import { WaitingJobs } from '../waiting-jobs.js';

/** The dependencies of a local queue. */
export interface LocalQueueOptions extends Omit<QueueRunDeps, 'delay' | 'runInErrorScope'> {
  /** Returns a new unguessable token for each claim. */
  readonly randomToken: () => string;
  /** The delay between two attempts to write; {@link delay} by default. */
  readonly delay?: Delay;
  /** Assigns uncaught errors to jobs; without it, they belong to no job. */
  readonly runInErrorScope?: RunInErrorScope;
}

const runWithoutErrorScope: RunInErrorScope = (_, task) => task();

/** A queue in this process that stores nothing on disk: the waiting jobs are known from the store. */
export function createLocalQueue(parts: LocalQueueOptions): JobQueue {
  return new RunQueue({
    ...parts,
    source: createMemorySource(),
    delay: parts.delay ?? delay,
    runInErrorScope: parts.runInErrorScope ?? runWithoutErrorScope,
  });
}

function createMemorySource(): JobSource {
  const waiting = new WaitingJobs();
  return {
    isShared: false,
    add: (job, options) => waiting.push(job, options),
    putBack: (job) => waiting.unshift(job),
    remove: (id) => waiting.remove(id),
    clear: () => waiting.clear(),
    find: (condition) => waiting.next(condition, new Map()),
    take({ accepts }, activeByAccount) {
      if (waiting.size === 0) return null;
      const job = waiting.next(accepts, activeByAccount);
      if (job !== null) waiting.remove(job.id);
      return job;
    },
  };
}
