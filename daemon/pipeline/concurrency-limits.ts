import { Semaphore } from '../../src/shared/util/semaphore.js';
import type { Run } from '../jobs/run.js';

/** Semaphores for the work of concurrent jobs, one for each kind of work. */
export interface ConcurrencyLimits {
  /** Downloads of inputs from other hosts. */
  readonly downloads: Semaphore;
  /** Copies of inputs on this machine. They never wait for a slow server. */
  readonly copies: Semaphore;
  /** Encoding jobs. */
  readonly encodes: Semaphore;
  /** Uploads of outputs to other hosts. Outputs that stay on this machine are usually moved, and do not wait. */
  readonly uploads: Semaphore;
}

/** Creates the limits for the given number of concurrent encodes. */
export function createConcurrencyLimits(encodes: number): ConcurrencyLimits {
  const transfers = transferLimitFor(encodes);
  return {
    downloads: new Semaphore(transfers),
    copies: new Semaphore(transfers),
    encodes: new Semaphore(encodes),
    uploads: new Semaphore(transfers),
  };
}

/**
 * The number of runs to start so that this many can encode at once: enough that others can download and upload
 * meanwhile. It limits how many inputs of a long queue are downloaded ahead.
 */
export function runCountFor(encodes: number): number {
  return encodes === 0 ? 0 : encodes + 2 * transferLimitFor(encodes);
}

/** With a single transfer, encoders would wait for a slow server. */
function transferLimitFor(encodes: number): number {
  return Math.max(2, encodes);
}

/** Acquires the limits for one run. Runs that started earlier have priority. */
export interface RunLimiter {
  /** Greater than that of every earlier run. */
  readonly sequenceNumber: number;
  /** Runs a task once its limit has a free permit. Aborting the signal ends the wait. */
  runExclusive<T>(kind: keyof ConcurrencyLimits, signal: AbortSignal, task: () => Promise<T>): Promise<T>;
}

/** Creates the limiter of a run. While the run only waits, its queue is notified. */
export function createRunLimiter(limits: ConcurrencyLimits, run: Run, sequenceNumber: number): RunLimiter {
  return {
    sequenceNumber,
    async runExclusive(kind, signal, task) {
      const acquiring = limits[kind].acquire(sequenceNumber, signal);
      // Waiting for an upload does not count, because the run may encode its next outputs meanwhile.
      const release = await (kind === 'uploads' ? acquiring : run.whileWaiting(acquiring));
      try {
        return await task();
      } finally {
        release();
      }
    },
  };
}
